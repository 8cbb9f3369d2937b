"""Refusal transfer as a study: arms are one-turn trajectories in the same store as episodes."""
