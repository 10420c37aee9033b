"""Find tables and their cells. Each module answers one question; `find` calls them in order."""
