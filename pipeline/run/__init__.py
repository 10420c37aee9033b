"""Run a job: on this machine in guarded processes (child processes with limits of time and memory), or on any runner of Beam."""
