"""The command line: parse, call a study, print. No logic."""

from dilemma.cli.app import main

__all__ = ["main"]
