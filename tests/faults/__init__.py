"""Failures of engines, models, processes and clients. Some tests sample by FOOTNOTE_SEED;
FOOTNOTE_DEEP=1 (`make nightly`) runs every case."""

from __future__ import annotations

import os

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"
