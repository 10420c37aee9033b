"""Draw a page as pixels."""
