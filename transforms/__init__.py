"""The Beam steps, one a file, in the order data flows."""
