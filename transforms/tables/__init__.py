"""The tables under an output folder: who may write them, and how the tables of one run take the place of another's (docs/tables.md)."""
