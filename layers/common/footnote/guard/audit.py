"""The audit log: who changed permissions, prompts, settings, terms or sessions, or deleted something. Contains no texts."""

from __future__ import annotations

from dataclasses import dataclass
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


async def audit(records: Records, caller: Caller, action: str, object_id: str, *, now: float, **facts: Any) -> None:
    """Records a change. Call it before the change, so that nothing happens unrecorded. `action`: `<kind>.<verb>`, e.g. `prompt.set`."""
    value = {"user_id": caller.user_id, "action": action, "object_id": object_id, "facts": facts}
    # Keys sort by time; the random suffix keeps them unique across processes.
    await records.put("audit", f"{now:017.6f}-{token_hex(4)}", {**value, "at": now}, by=caller.user_id, expected=0)


async def read_audit(records: Records, limit: int, after: str | None = None) -> Page[AuditEntry]:
    """A page of entries, newest first."""
    page = await records.list("audit", limit=limit, after=after, newest_first=True)
    return Page(tuple(map(_entry, page.data)), page.has_more, page.last_id)


def _entry(record: Record) -> AuditEntry:
    value = record.value
    return AuditEntry(record.key, value["at"], value["user_id"], value["action"], value["object_id"], value["facts"])
