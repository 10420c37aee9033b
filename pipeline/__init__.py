"""The whole road: options, graph and commands."""
