"""What happens on a bad day. Some tests take samples, others ones every day; FOOTNOTE_DEEP=1 (`make test-deep`) takes everything."""

from __future__ import annotations

import os

DEEP = os.environ.get("FOOTNOTE_DEEP") == "1"
