"""Build blocks in reading order from lines."""
