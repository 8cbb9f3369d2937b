"""The healthcare domain of the shipped suite."""
