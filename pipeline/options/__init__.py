"""Flags: names, defaults, units, help, validation."""
