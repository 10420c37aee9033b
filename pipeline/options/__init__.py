"""Flags of commands: names, defaults, units, help, validation."""
