"""Rows to stored tables: what is written, who may write it, and how the tables of one run take the place of another's (docs/tables.md)."""
