"""Call Flink's REST API (Flink 1.19) to do what Beam 2.70 does not: cancel a job, and find the machine on which a job failed."""

from __future__ import annotations

import json
import urllib.request
from typing import Any, Final

#: Timeout in seconds of a request to Flink's REST address, which answers at once or not at all.
ASK_S: Final = 10.0


def cancel_at(master: str, job_name: str) -> bool:
    """Cancel the running jobs of this name; return whether there were any. master: HOST:PORT, with or without http://.

    Raises:
        OSError: Flink does not answer at this address, or refuses.
    """
    jobs = [job["jid"] for job in _jobs(master, job_name) if job["end-time"] < 0]
    for job in jobs:
        urllib.request.urlopen(urllib.request.Request(f"{_base(master)}/jobs/{job}?mode=cancel", method="PATCH"), timeout=ASK_S).close()
    return bool(jobs)


def where_it_failed(master: str, job_name: str) -> str:
    """Return a sentence about the last failure of the job of this name: machine, step and message; "" if Flink knows none.
    master: HOST:PORT, with or without http://.

    Raises:
        OSError: Flink does not answer at this address.
    """
    for job in _jobs(master, job_name):
        entries = _asked(master, f"jobs/{job['jid']}/exceptions").get("exceptionHistory", {}).get("entries", [])
        for entry in entries[:1]:  # the last one stands first
            place = entry.get("endpoint") or entry.get("location") or entry.get("taskManagerId") or "an unknown machine"
            first, *more = [line.strip() for line in str(entry.get("stacktrace") or entry.get("exceptionName")).splitlines()] or [""]
            causes = [line.removeprefix("Caused by: ") for line in more if line.startswith("Caused by: ")]
            return f"the last failure was at {place}, in {entry.get('taskName') or 'no step'}: {causes[-1] if causes else first}"
    return ""


def _jobs(master: str, job_name: str) -> list[dict[str, Any]]:
    return [job for job in _asked(master, "jobs/overview")["jobs"] if job["name"] == job_name]


def _asked(master: str, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{_base(master)}/{path}", timeout=ASK_S) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


def _base(master: str) -> str:
    return master if "://" in master else f"http://{master}"
