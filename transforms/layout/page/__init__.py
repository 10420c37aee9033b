"""Geometry and text of one page: frames, styles, neighbours, columns."""
