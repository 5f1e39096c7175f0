"""When a job that failed is tried again."""

from __future__ import annotations

import random

MOST_ATTEMPTS = 5
FIRST_RETRY_S, RETRY_GROWTH, LONGEST_RETRY_S = 5.0, 12.0, 7200.0
"""The delay before the second attempt, its growth factor, and its maximum: 5 s, 1 min, 12 min, 2 h."""


def retry_delay_s(attempt: int) -> float:
    """Seconds until a failed job is retried; 0 after the last attempt, so that it becomes a dead letter at once.

    Half of the delay is random, so that jobs that failed together are not retried together."""
    if attempt >= MOST_ATTEMPTS:
        return 0.0
    longest_s = min(FIRST_RETRY_S * RETRY_GROWTH ** (attempt - 1), LONGEST_RETRY_S)
    return random.uniform(longest_s / 2, longest_s)  # noqa: S311 (nothing secret)
