"""The schedule of descriptions: every five minutes, lets the model describe documents that wait for it, until the function's time is
nearly used up. A call that is cut off is made again at the next run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from footnote_http.lambda_handler import use_loop

if TYPE_CHECKING:
    from footnote.bootstrap import Core

RESERVE_S = 15.0
"""Remaining time of the function at which a description is cut off."""


def run_descriptions(core: Core, left_s: Callable[[], float]) -> dict[str, int]:
    """Describes documents. → `described`: how many."""
    return use_loop().run_until_complete(describe(core, left_s() - RESERVE_S))


async def describe(core: Core, limit_s: float) -> dict[str, int]:
    """Describes documents one after the other for `limit_s` seconds, in AWS; on one machine the worker does."""
    done = 0
    try:
        async with asyncio.timeout(limit_s):
            while core.settings.aws.queue_url is not None and await core.descriptions.describe_next():
                done += 1
    except TimeoutError:
        pass
    return {"described": done}
