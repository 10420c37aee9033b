"""A page as pixels."""
