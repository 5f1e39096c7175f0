"""Copies a restored DynamoDB table back into the ledger: `python -m footnote_local.restore_ledger TABLE`.

The ledger is AWS__LEDGER_TABLE. Documents deleted since the restored point in time are deleted again.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress

from footnote.adapters.dynamodb.ledger_restore import copy_back
from footnote.adapters.dynamodb.table import Table
from footnote.bootstrap import Core
from footnote.errors import FootnoteError, NotFound
from footnote.settings import Settings
from footnote.types import SYSTEM

LIMIT_S = 30.0
"""Timeout of one DynamoDB call."""


async def restore(core: Core, name: str) -> int:
    """Returns how many documents were deleted again."""
    restored, ledger = (Table(table, "AWS__LEDGER_TABLE", LIMIT_S) for table in (name, core.settings.aws.ledger_table or ""))
    try:
        again = await asyncio.to_thread(copy_back, restored, ledger)
    finally:
        restored.close()
        ledger.close()
    for doc_id in again:
        with suppress(NotFound):
            await core.ingestor.delete(SYSTEM, doc_id)
    return len(again)


async def run(name: str) -> int:
    """Restores from table `name` and prints the result. → exit code."""
    core = Core(Settings())
    try:
        deleted = await restore(core, name)
    except FootnoteError as exc:
        print(f"{exc.detail} Fix this, then run the command again; it starts over.", file=sys.stderr)
        return 1
    finally:
        await core.close()
    print(f"The ledger was restored from {name}. Documents deleted again: {deleted}. Now run the comparison.")
    return 0


def main(arguments: Sequence[str]) -> int:
    """Entry point. → exit code."""
    ledger = Settings().aws.ledger_table
    if not ledger or len(arguments) != 1 or arguments[0] == ledger:
        print("usage: python -m footnote_local.restore_ledger TABLE (must differ from AWS__LEDGER_TABLE)", file=sys.stderr)
        return 2
    return asyncio.run(run(arguments[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
