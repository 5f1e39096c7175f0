"""`/settings`, for admins: the settings, their changes at runtime, and undo.

Records: "setting" `<key>` is the value that is set at runtime; "setting_change" `<key>:<number>` is a change and is never deleted. A
change is recorded before it is made, in the audit log, too.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field

from footnote.collections import check_collection
from footnote.errors import NotFound
from footnote.guard.audit import audit
from footnote.live_settings import Setting
from footnote.ports import Record
from footnote.settings.marks import Topic
from footnote.types import Caller, Page
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS, CHANGED, MISSING, page_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core

LAST = 100
"""Number of changes among which undo looks for the one to revert."""
router = Router("Administration", responses=ADMINS)


class SettingBody(BaseModel):
    """A setting, its value and where the value comes from."""

    key: str
    value: Any = Field(description="For a secret, only whether it is set.")
    default: Any
    source: Literal["default", "environment", "runtime"]
    changeable: bool = Field(description="Whether it can be changed at runtime; else only in the environment.")
    description: str
    topic: Topic
    variables: list[str] = Field(description="Its environment variables, in order of precedence.")
    choices: list[str] = Field(description="The allowed values; [] = any value of its type.")


class SettingPage(PageBody):
    """A page of settings."""

    data: list[SettingBody]


class SettingChange(BaseModel):
    """A new value for a setting."""

    value: Any = Field(description="null = reset to the configured value.")


class SettingRevision(BaseModel):
    """A change of a setting."""

    number: int
    at: float
    by: str
    before: Any = Field(alias="from", description="The value that was set at runtime; null = the configured value.")
    after: Any = Field(alias="to", description="The new value; null = reset to the configured value.")
    undoes: int | None = Field(description="Number of the change that this one reverts.")


class SettingHistory(PageBody):
    """A page of changes."""

    data: list[SettingRevision]


@router.get("/settings", name="list_settings")
async def settings(admin: AdminOf, core: CoreOf, limit: Limit = 200, after: str | None = None) -> SettingPage:
    """Lists all settings and where their values come from."""
    await core.load_changes()
    page = page_of(core.live.all(), lambda setting: setting.key, limit, after)
    return SettingPage.of(page, lambda each: SettingBody(**asdict(each)))


@router.put("/settings/{key}", name="change_setting", responses=CHANGED)
async def change_setting(key: str, body: SettingChange, admin: AdminOf, core: CoreOf) -> SettingBody:
    """Changes a setting at runtime. Other processes apply it within seconds."""
    return SettingBody(**asdict(await change(core, admin, key, body.value)))


@router.get("/settings/{key}/history", name="setting_history", responses=MISSING)
async def setting_history(key: str, admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> SettingHistory:
    """Lists the changes of a setting at runtime, newest first."""
    return SettingHistory.of(await history(core, key, limit, after), lambda each: each)


@router.post("/settings/{key}/undo", name="undo_setting", responses=CHANGED)
async def undo_setting(key: str, admin: AdminOf, core: CoreOf) -> SettingBody:
    """Reverts the latest change that has not been reverted yet. The revert is a change, too."""
    return SettingBody(**asdict(await undo(core, admin, key)))


async def change(core: Core, caller: Caller, key: str, value: Any, *, undoes: int | None = None) -> Setting:
    """Changes a setting; None = reset. NotFound for an unknown key, BadRequest if it is not changeable or the value is invalid,
    Conflict if somebody changes it at the same time."""
    core.live.check(key, value)
    key, *aliases = core.live.names(key)
    if key == "index_name" and value is not None:
        check_collection(value)
    stored = [record for name in (key, *aliases) if (record := await core.records.get("setting", name))]
    before = stored[0].value["value"] if stored else None
    last = (await history(core, key, 1)).data
    number = last[0].number + 1 if last else 1
    await audit(core.records, caller, "setting.reset" if value is None else "setting.set", key, now=core.clock())
    entry = {"from": before, "to": value, "undoes": undoes}
    await core.records.put("setting_change", f"{key}:{number:09d}", entry, by=caller.user_id, expected=0)
    if value is None:
        await core.records.delete("setting", key)
    else:
        await core.records.put("setting", key, {"value": value}, by=caller.user_id)
    for alias in aliases:
        await core.records.delete("setting", alias)
    await core.load_changes()
    return core.live.get(key)


async def history(core: Core, key: str, limit: int, after: str | None = None) -> Page[SettingRevision]:
    """The changes of a setting, newest first; those that an earlier version stored by an alias are the oldest. NotFound for an unknown
    key."""
    names = core.live.names(key)
    begun = next((at for at, name in enumerate(names) if after and after.startswith(f"{name}:")), 0)
    found: list[Record] = []
    for name in names[begun:]:
        page = await core.records.list("setting_change", prefix=f"{name}:", limit=limit - len(found), after=after, newest_first=True)
        found, after = [*found, *page.data], None
        if page.has_more or len(found) == limit:
            has_more = page.has_more or name != names[-1]
            return Page(tuple(map(_revision, found)), has_more, found[-1].key)
    return Page(tuple(map(_revision, found)), False, found[-1].key if found else None)


async def undo(core: Core, caller: Caller, key: str) -> Setting:
    """Reverts the latest change that is neither an undo nor undone. NotFound if there is none, BadRequest if the earlier value is no
    longer valid."""
    undone: set[int] = set()
    for each in (await history(core, key, LAST)).data:
        if each.undoes is not None:
            undone.add(each.undoes)
        elif each.number not in undone and each.before != each.after:
            return await change(core, caller, key, each.before, undoes=each.number)
    raise NotFound("There is no change of this setting to undo.")


def _revision(record: Record) -> SettingRevision:
    return SettingRevision(number=_number(record), at=record.changed_at, by=record.changed_by, **record.value)


def _number(record: Record) -> int:
    return int(record.key.rpartition(":")[2])
