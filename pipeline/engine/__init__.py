"""Run jobs on any runner of Beam."""
