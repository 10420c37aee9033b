"""A page to glyphs and graphics, and the repairs of its text."""
