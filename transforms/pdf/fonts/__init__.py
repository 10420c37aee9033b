"""Read fonts: their encodings and CMaps, the text of their character codes, and whether that text is reliable."""
