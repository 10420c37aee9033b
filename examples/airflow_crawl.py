"""An Airflow DAG that runs a crawl every night, then compacts and cleans up once a week (Airflow 2.4 and later)."""

from __future__ import annotations

from datetime import datetime, timedelta

from airflow.models.dag import DAG
from airflow.operators.bash import BashOperator

CONFIG = "/etc/pdfmill/crawl.toml"

with DAG(
    "pdfmill_crawl",
    schedule="0 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,  # a crawl reads the present: nights that were missed need no run of their own
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
):
    # Some failed documents (1) and another run that was first (5) are no reason to try again; withheld deletes (4) want a look.
    crawl = BashOperator(
        task_id="crawl",
        bash_command=f"pdfmill crawl {CONFIG}; code=$?; case $code in 0|1|5) exit 0;; *) exit $code;; esac",
    )
    upkeep = BashOperator(
        task_id="upkeep",
        bash_command=f'[ "{{{{ logical_date.weekday() }}}}" != 6 ] || '
        f"(pdfmill crawl {CONFIG} --compact && pdfmill crawl {CONFIG} --vacuum)",
    )
    crawl >> upkeep
