"""Lines to blocks in reading order."""
