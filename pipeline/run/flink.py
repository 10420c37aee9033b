"""A job cancelled by Flink itself: what Beam's job server is asked to cancel it forgets, and Flink goes on with (Beam 2.70, Flink 1.19)."""

from __future__ import annotations

import json
import urllib.request
from typing import Final

#: Of a request to Flink's REST address; it answers at once or not at all.
ASK_S: Final = 10.0


def cancel_at(master: str, job_name: str) -> bool:
    """Cancel the jobs of this name that are not ended, by Flink's REST API (Flink 1.19, REST API, /jobs); whether there was one. master:
    HOST:PORT, with or without http://.

    Raises:
        OSError: Flink does not answer there, or refuses.
    """
    base = master if "://" in master else f"http://{master}"
    with urllib.request.urlopen(f"{base}/jobs/overview", timeout=ASK_S) as answer:
        jobs = [job["jid"] for job in json.load(answer)["jobs"] if job["name"] == job_name and job["end-time"] < 0]
    for job in jobs:
        urllib.request.urlopen(urllib.request.Request(f"{base}/jobs/{job}?mode=cancel", method="PATCH"), timeout=ASK_S).close()
    return bool(jobs)
