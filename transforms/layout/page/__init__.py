"""Analyse geometry and text of one page: frames, text styles, neighbouring lines, columns."""
