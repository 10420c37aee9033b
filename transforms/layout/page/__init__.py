"""Analyse the geometry and text of one page: text styles, neighbouring lines, columns, hyphens, meaning of lines by their words."""
