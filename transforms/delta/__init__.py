"""The log of a Delta table, in any store: versions, checkpoints, deletion vectors."""
