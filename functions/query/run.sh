#!/bin/sh
# Lambda starts this in place of its Python runtime, so the layer's libraries must be named; the Lambda Web Adapter forwards to the port.
export PYTHONPATH="${LAMBDA_TASK_ROOT:-.}:/opt/python:${LAMBDA_RUNTIME_DIR:-}"
# Where a request comes from is read from its event: x-forwarded-for is what clients make of it.
# Importing makes many objects and hardly any rubbish. What `start` sets for afterwards holds from the first import on here.
exec python -c 'import gc; gc.set_threshold(50_000, 20, 20); from uvicorn.main import main; main()' footnote_query.app:app --host 127.0.0.1 --port "${AWS_LWA_PORT:-8080}" --no-proxy-headers --no-access-log --log-level warning
