"""Language detection, and the words and signs of each language that layout rules look for."""
