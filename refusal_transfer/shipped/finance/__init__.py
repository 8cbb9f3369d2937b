"""The finance domain of the shipped suite."""
