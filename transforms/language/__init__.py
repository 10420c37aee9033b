"""Detect languages, look up words, and give the words and signs of each language that layout rules look for."""
