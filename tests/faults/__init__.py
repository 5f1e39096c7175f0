"""What happens on a bad day. Some tests take samples, by FOOTNOTE_SEED; FOOTNOTE_DEEP=1 (`make nightly`) takes everything."""

from __future__ import annotations

import os

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"
