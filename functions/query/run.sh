#!/bin/sh
# Lambda starts this in place of its Python runtime, so the layer's libraries must be named; the Lambda Web Adapter forwards to the port.
export PYTHONPATH="${LAMBDA_TASK_ROOT:-.}:/opt/python:${LAMBDA_RUNTIME_DIR:-}"
exec python -m uvicorn query.app:app --host 127.0.0.1 --port "${AWS_LWA_PORT:-8080}" --no-access-log --log-level warning
