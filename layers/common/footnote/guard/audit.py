"""The audit log: who changed permissions, prompts, settings, terms or sessions, or deleted something. Contains no texts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from secrets import token_hex
from typing import Any

from footnote.ports import Record, Records
from footnote.types import Caller, Page


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change. `facts`: details such as names, ids, numbers and groups."""

    entry_id: str
    at: float
    user_id: str
    action: str
    object_id: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """A filter of entries: of this user (None = any), with actions that begin with this, from `start` until before `end` (since 1970)."""

    user_id: str | None = None
    action: str = ""
    start: float = 0.0
    end: float = inf

    def wants(self, entry: AuditEntry) -> bool:
        """Whether the entry passes the filter."""
        by = self.user_id in (None, entry.user_id)
        return by and entry.action.startswith(self.action) and self.start <= entry.at < self.end


EVERYTHING = AuditFilter()
PAGE = 200
MOST_READ = 2000
"""Entries that one page looks at: an audit is long, and a request short."""


async def audit(records: Records, caller: Caller, action: str, object_id: str, *, now: float, **facts: Any) -> None:
    """Records a change. Call it before the change, so that nothing happens unrecorded. `action`: `<kind>.<verb>`, e.g. `prompt.set`."""
    value = {"user_id": caller.user_id, "action": action, "object_id": object_id, "facts": facts}
    # Keys sort by time; the random suffix keeps them unique across processes.
    await records.put("audit", f"{now:017.6f}-{token_hex(4)}", {**value, "at": now}, by=caller.user_id, expected=0)


async def read_audit(records: Records, limit: int, after: str | None = None, criteria: AuditFilter = EVERYTHING) -> Page[AuditEntry]:
    """A page of entries, newest first. With a filter it reads MOST_READ entries: it may have fewer than `limit`, and the next page
    continues after `last_id`."""
    if after is None and criteria.end < inf:
        after = f"{criteria.end:017.6f}"  # keys begin with the time
    matching: list[AuditEntry] = []
    read, has_more, last = 0, True, after
    while has_more and len(matching) < limit and read < MOST_READ:
        page = await records.list("audit", limit=limit if criteria == EVERYTHING else PAGE, after=last, newest_first=True)
        entries = tuple(map(_entry, page.data))
        has_more = page.has_more
        for entry in entries:
            read, last = read + 1, entry.entry_id
            if entry.at < criteria.start:
                return Page(tuple(matching), has_more=False, last_id=last)
            if criteria.wants(entry):
                matching.append(entry)
            if len(matching) == limit:
                has_more = page.has_more or entry is not entries[-1]
                break
    return Page(tuple(matching), has_more, last)


def _entry(record: Record) -> AuditEntry:
    value = record.value
    return AuditEntry(record.key, value["at"], value["user_id"], value["action"], value["object_id"], value["facts"])
