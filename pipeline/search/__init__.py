"""Search over the tables: an index of Tantivy, and hits with page, passage and the boxes of the matched words (docs/search.md)."""
