"""Store rows as tables: writing parts, locking the output, and replacing the tables of an earlier run (docs/tables.md)."""
