"""Fonts: encodings, CMaps, Unicode values, and whether they can be trusted."""
