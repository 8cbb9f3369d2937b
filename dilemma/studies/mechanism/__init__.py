"""The mechanism of refusal in one open-weight model: composes refusal transfer with the laboratory."""
