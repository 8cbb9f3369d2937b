"""The education domain of the shipped suite."""
