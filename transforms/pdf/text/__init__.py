"""Read the glyphs and graphics of a page, and repair its text."""
