"""Run a job: on this machine in guarded processes, or on any runner of Beam."""
