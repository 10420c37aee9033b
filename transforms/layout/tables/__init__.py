"""Where are tables, and what are their cells? One question a file; `find` asks them in order."""
