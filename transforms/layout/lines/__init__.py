"""Build text lines from glyphs."""
