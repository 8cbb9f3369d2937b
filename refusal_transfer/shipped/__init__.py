"""The suite that comes with the package: readable data, and predicates in Python."""
