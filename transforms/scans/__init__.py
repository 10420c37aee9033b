"""Pages whose text is only in pictures: draw them, recognise words, and measure how the words look."""
