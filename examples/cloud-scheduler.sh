#!/usr/bin/env bash
# Cloud Scheduler starts a Cloud Run job every night that runs `pdfmill crawl`, whose configuration names DataflowRunner:
# the run's own process only plans, starts the two pipelines and commits; all reading is Dataflow's.
#   [beam]
#   runner = "DataflowRunner"
#   project = "PROJECT"
#   region = "REGION"
#   temp_location = "gs://BUCKET/tmp"
#   sdk_container_image = "REGION-docker.pkg.dev/PROJECT/pdfmill/pdfmill:latest"
set -euo pipefail
: "${PROJECT:?}" "${REGION:?}" "${BUCKET:?}" "${SERVICE_ACCOUNT:?}"
IMAGE="$REGION-docker.pkg.dev/$PROJECT/pdfmill/pdfmill:latest"

gcloud run jobs deploy pdfmill-crawl --project "$PROJECT" --region "$REGION" --image "$IMAGE" \
  --service-account "$SERVICE_ACCOUNT" --task-timeout 24h --max-retries 1 --memory 4Gi \
  --command pdfmill --args "crawl,gs://$BUCKET/crawl.toml"

gcloud scheduler jobs create http pdfmill-crawl --project "$PROJECT" --location "$REGION" --schedule "0 2 * * *" --time-zone Etc/UTC \
  --uri "https://run.googleapis.com/v2/projects/$PROJECT/locations/$REGION/jobs/pdfmill-crawl:run" --http-method POST \
  --oauth-service-account-email "$SERVICE_ACCOUNT"
