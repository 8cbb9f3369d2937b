"""The matched-triple benchmark: does a refusal in chat survive when a tool call can carry the request out?"""
