#!/bin/sh
# What a TaskManager starts as its Beam SDK worker (environment type PROCESS): Beam's boot program, in a folder of its own.
# A TaskManager that is killed cannot end its workers, and the boot program would start them again for ever: so a watcher ends
# the boot program once the TaskManager or this script is gone, and removes the folder.
#   PDFMILL_BOOT     Beam's boot program, `go install github.com/apache/beam/sdks/v2/python/container@VERSION`
#   PDFMILL_PYTHON   folder that holds the `python` with pdfmill installed
set -u
parent=$PPID
folder=$(mktemp -d "${TMPDIR:-/tmp}/pdfmill-worker-XXXXXX") || exit 1
PATH="$PDFMILL_PYTHON:$PATH" RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1 TMPDIR="$folder" \
  "$PDFMILL_BOOT" "$@" --semi_persist_dir="$folder" &
boot=$!
(
  trap '' TERM INT HUP
  while kill -0 "$boot" 2>/dev/null; do
    { kill -0 "$parent" && kill -0 $$; } 2>/dev/null || kill -TERM "$boot" 2>/dev/null
    sleep 0.5
  done
  rm -rf "$folder"
) &
trap 'kill -TERM "$boot" 2>/dev/null' TERM INT HUP
while kill -0 "$boot" 2>/dev/null; do
  wait "$boot"
  code=$?
done
exit "${code:-0}"
