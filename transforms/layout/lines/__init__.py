"""Glyphs to text lines."""
