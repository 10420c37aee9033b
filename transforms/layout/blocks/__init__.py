"""Build the blocks of a page (headings, paragraphs, lists, tables, ...) in reading order from its lines."""
