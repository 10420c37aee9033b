"""Read a page's glyphs and graphics, and repair its text."""
