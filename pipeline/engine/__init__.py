"""Run the job on any runner of Beam."""
