"""An Airflow DAG that runs a crawl every night (Airflow 3). The run itself puts small parts together and vacuums."""

from __future__ import annotations

from datetime import datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

CONFIG = "/etc/pdfmill/crawl.toml"

with DAG(
    "pdfmill_crawl",
    schedule="0 2 * * *",
    start_date=datetime(2026, 1, 1),
    catchup=False,  # a crawl reads the present: nights that were missed need no run of their own
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
):
    # New failures of documents (1) and another run (5, 6) are no reason to try again; withheld deletes (4) want a look.
    crawl = BashOperator(
        task_id="crawl",
        bash_command=f"pdfmill crawl {CONFIG}; code=$?; case $code in 0|1|5|6) exit 0;; *) exit $code;; esac",
    )
    # A person reads this in the task's log: what is not ok, and since when.
    failing = BashOperator(task_id="failing", bash_command="pdfmill report s3://search/tables --failing")
    crawl >> failing
