"""Pages that show text and do not hold it: their picture, what is read on it, and how its words look."""
