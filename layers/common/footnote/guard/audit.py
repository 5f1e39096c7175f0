"""Who changed what? Changes of permissions, prompts, settings, terms and sessions, and deletes, leave a record. No texts in it."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from footnote.ports import Record, Records
from footnote.types import Caller, Page


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`facts`: names, ids, numbers and groups that tell more of the change."""

    entry_id: str
    at: float
    user_id: str
    action: str
    object_id: str
    facts: dict[str, Any]


async def audit(records: Records, caller: Caller, action: str, object_id: str, *, now: float, **facts: Any) -> None:
    """Called before the change: what cannot be recorded is not done. `action` is `<kind>.<verb>`, such as `prompt.set`."""
    value = {"user_id": caller.user_id, "action": action, "object_id": object_id, "facts": facts}
    # Keys in the order of time, and of any number of processes.
    await records.put("audit", f"{now:017.6f}-{token_hex(4)}", {**value, "at": now}, by=caller.user_id, expected=0)


async def read_audit(records: Records, limit: int, after: str | None = None) -> Page[AuditEntry]:
    """Newest first."""
    page = await records.list("audit", limit=limit, after=after, newest_first=True)
    return Page(tuple(map(_entry, page.data)), page.has_more, page.last_id)


def _entry(record: Record) -> AuditEntry:
    value = record.value
    return AuditEntry(record.key, value["at"], value["user_id"], value["action"], value["object_id"], value["facts"])
