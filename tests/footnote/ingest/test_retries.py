"""When a job that failed is tried again."""

from __future__ import annotations

import pytest

from footnote.ingest.retries import retry_delay_s


@pytest.mark.parametrize(
    ("attempt", "least_s", "most_s"),
    [(1, 2.5, 5.0), (2, 30.0, 60.0), (3, 360.0, 720.0), (4, 3600.0, 7200.0), (5, 0.0, 0.0), (6, 0.0, 0.0)],
)
def test_each_attempt_waits_longer_and_the_fifth_is_the_last(attempt: int, least_s: float, most_s: float) -> None:
    waits = [retry_delay_s(attempt) for _ in range(200)]
    assert least_s <= min(waits) <= max(waits) <= most_s
    assert (len(set(waits)) > 1) == (most_s > 0), "jobs that failed together are not tried together"
