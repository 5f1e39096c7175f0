"""The schedule of what is made of documents later: every five minutes, lets the model describe documents that wait for it, builds the
knowledge that collections have switched on, and removes what they have switched off, until the function's time is nearly used up. A call
that is cut off is made again at the next run."""

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
    """Describes documents and builds knowledge. → `described`: how many documents; `built`: how many passages."""
    return use_loop().run_until_complete(describe(core, left_s() - RESERVE_S))


async def describe(core: Core, limit_s: float) -> dict[str, int]:
    """Works for `limit_s` seconds, in AWS; on one machine the worker does."""
    done = {"described": 0, "built": 0}
    if core.settings.aws.queue_url is None:
        return done
    try:
        async with asyncio.timeout(limit_s):
            await core.knowledge_builder.tidy()
            while await core.descriptions.describe_next():
                done["described"] += 1
            while made := await core.knowledge_builder.build_some():
                done["built"] += made
    except TimeoutError:
        pass
    return done
