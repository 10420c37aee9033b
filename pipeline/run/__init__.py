"""Where the road runs: on this machine by guarded processes, or by any runner of Beam."""
