"""The geometry and the text of one page: frames, styles, neighbours, columns."""
