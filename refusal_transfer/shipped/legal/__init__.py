"""The legal domain of the shipped suite."""
