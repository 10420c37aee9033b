"""Rows to stored tables: what is written, and how what was written is shown."""
