"""Training of every model that attnscope shows."""
