"""The job on any runner of Beam."""
