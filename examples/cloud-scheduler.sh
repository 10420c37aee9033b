#!/usr/bin/env bash
# Cloud Scheduler launches the crawl's flex template every night; the job plans, reads, commits, leaves its report in the output, puts small
# parts together and vacuums.
# Build the template once, see dataflow_templates/README.md. A job of the same name that still runs makes the launch fail: no two at once.
set -euo pipefail
: "${PROJECT:?}" "${REGION:?}" "${BUCKET:?}" "${SERVICE_ACCOUNT:?}"
IMAGE="$REGION-docker.pkg.dev/$PROJECT/search/pdfmill:0.1.0"

gcloud scheduler jobs create http pdfmill-crawl --project "$PROJECT" --location "$REGION" --schedule "0 2 * * *" --time-zone Etc/UTC \
  --uri "https://dataflow.googleapis.com/v1b3/projects/$PROJECT/locations/$REGION/flexTemplates:launch" --http-method POST \
  --oauth-service-account-email "$SERVICE_ACCOUNT" --headers Content-Type=application/json --message-body "$(cat <<JSON
{
  "launchParameter": {
    "jobName": "pdfmill-crawl",
    "containerSpecGcsPath": "gs://$BUCKET/templates/pdfmill-crawl-0.1.0.json",
    "parameters": {
      "sources": "gs://$BUCKET/archive/",
      "output": "gs://$BUCKET/tables",
      "retry_after_hours": "6",
      "sdk_container_image": "$IMAGE"
    },
    "environment": {
      "maxWorkers": 20,
      "machineType": "n2-standard-2",
      "tempLocation": "gs://$BUCKET/temp",
      "serviceAccountEmail": "$SERVICE_ACCOUNT",
      "additionalPipelineOptions": ["resource_hints=min_ram=6GiB"]
    }
  }
}
JSON
)"

# The outcome for an alert: exit_code and message of the newest report.
#   gcloud storage ls "gs://$BUCKET/tables/_pdfmill/reports/" | tail -1 | xargs gcloud storage cat
