"""Join the glyphs of a page to words and text lines."""
