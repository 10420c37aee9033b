"""Find tables and their cells. Each module decides one question; `find` calls them in order."""
