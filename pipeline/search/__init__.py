"""Search over the tables: an index in one SQLite file; hits with page, passage and the boxes of their words (docs/search.md)."""
