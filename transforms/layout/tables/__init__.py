"""Find tables and their cells. Each file decides one question; `find` calls them in order."""
