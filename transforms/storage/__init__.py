"""Object stores: what a source specification names, and the bytes behind it. Knows no Beam, no PDF, no layout."""
