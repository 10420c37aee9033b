"""Detect the language of a text, and the words and signs of each language that rules use."""
