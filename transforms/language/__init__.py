"""What a text is written in, and the words and signs that rules know of each language."""
