"""`/prompts` and `/audit`, for admins. Every change is recorded in the audit log before it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from math import inf
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from fastapi import Query, Response
from pydantic import BaseModel, Field, model_validator

from footnote.errors import NotFound
from footnote.guard.audit import AuditFilter, audit, read_audit
from footnote.prompts import LANGUAGES, prompt_names, read_packaged
from footnote.prompts.store import list_versions, read_version, reset_prompt, restore_prompt, save_prompt
from footnote.turn_records.days import begin_of, end_of
from footnote.types import Caller, Page
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

Lang = Literal["en", "de", "ko"]
Number = Annotated[int | None, Query(ge=0, le=10**8, description="Number of an earlier version; 0 = the packaged text.")]
T = TypeVar("T")

ADMINS = problems({403: "The caller is not an admin"})
MISSING = problems({404: "Not found"})
CHANGED = MISSING | problems({409: "It was changed concurrently; read it and try again"})
router = Router("Administration", responses=ADMINS)


class PromptRow(BaseModel):
    """The active version of a prompt in one language."""

    name: str
    lang: str
    source: Literal["packaged", "saved"]
    version: int | None = Field(description="Number of the active saved version; null = packaged.")
    changed_at: float | None
    changed_by: str | None


class VersionBody(BaseModel):
    """A saved version of a prompt."""

    version: int
    saved_at: float
    saved_by: str


class PromptBody(PromptRow):
    """A prompt with its text and versions."""

    template: str
    variables: list[str] = Field(description="Variables that a template may use.")
    versions: list[VersionBody] = Field(description="Saved versions, newest first; at most 100.")


class PromptChange(BaseModel):
    """A new template, or the number of an earlier one."""

    lang: Lang
    template: str | None = None
    version: int | None = Field(None, ge=1, le=10**8)

    @model_validator(mode="after")
    def _one_of_them(self) -> PromptChange:
        if (self.template is None) == (self.version is None):
            raise ValueError("set either template or version")
        return self


class PromptPage(PageBody):
    """A page of prompts."""

    data: list[PromptRow]


class AuditBody(BaseModel):
    """An entry of the audit log."""

    entry_id: str
    at: float
    user_id: str
    action: str
    object_id: str
    facts: dict[str, Any]


class AuditPage(PageBody):
    """A page of the audit log."""

    data: list[AuditBody]


@router.get("/prompts", name="list_prompts")
async def prompts(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> PromptPage:
    """Lists all prompts in all languages with their active versions."""
    page = page_of(await list_prompts(core), lambda row: f"{row.name}.{row.lang}", limit, after)
    return PromptPage.of(page, lambda row: row)


@router.get("/prompts/{name}", name="get_prompt", responses=MISSING)
async def prompt(name: str, admin: AdminOf, core: CoreOf, lang: Lang = "en", version: Number = None) -> PromptBody:
    """Returns a prompt's text, variables and versions."""
    return await read_prompt(core, name, lang, version)


@router.put("/prompts/{name}", name="set_prompt", responses=CHANGED)
async def set_prompt(name: str, body: PromptChange, admin: AdminOf, core: CoreOf) -> PromptBody:
    """Activates a new text or an earlier version. A template that could fail to render is rejected."""
    if body.template is not None:
        await save(core, admin, name, body.lang, body.template)
    else:
        await restore(core, admin, name, body.lang, body.version or 0)
    return await read_prompt(core, name, body.lang)


@router.delete("/prompts/{name}", name="reset_prompt", status_code=204, responses=MISSING)
async def delete_prompt(name: str, admin: AdminOf, core: CoreOf, lang: Lang) -> Response:
    """Resets a prompt to its packaged text. Saved versions are kept."""
    await reset(core, admin, name, lang)
    return Response(status_code=204)


@router.get("/audit", name="read_audit")
async def audit_log(
    admin: AdminOf,
    core: CoreOf,
    limit: Limit = 50,
    after: str | None = None,
    user_id: Annotated[str | None, Query(description="Only changes by this user.")] = None,
    action: Annotated[str | None, Query(description="Only actions that begin so, such as `setting.` or `term.delete`.")] = None,
    from_: Annotated[date | None, Query(alias="from", description="The first day (UTC).")] = None,
    to: Annotated[date | None, Query(description="The last day (UTC).")] = None,
) -> AuditPage:
    """Lists the audit log, newest first. With filters, a page may have fewer entries than `limit`, or none, although `has_more`."""
    start, end = begin_of(from_.isoformat()) if from_ else 0.0, end_of(to.isoformat()) if to else inf
    wanted = AuditFilter(user_id=user_id, action=action or "", start=start, end=end)
    page = await read_audit(core.records, limit, after, wanted)
    return AuditPage.of(page, lambda each: AuditBody(**asdict(each)))


def page_of(rows: Sequence[T], key: Callable[[T], str], limit: int, after: str | None) -> Page[T]:
    """A page of rows, which must be sorted by key."""
    rest = [row for row in rows if after is None or key(row) > after]
    return Page(tuple(rest[:limit]), len(rest) > limit, key(rest[min(limit, len(rest)) - 1]) if rest else None)


async def list_prompts(core: Core) -> list[PromptRow]:
    """All prompts in all languages."""
    await core.load_changes()
    return [_row(core, name, lang) for name in prompt_names() for lang in sorted(LANGUAGES)]


async def read_prompt(core: Core, name: str, lang: str, version: int | None = None) -> PromptBody:
    """A prompt with its variables and versions. NotFound for an unknown name or version."""
    from footnote.prompts.rules import learn_values

    check_prompt_name(name)
    await core.load_changes()
    key, row = f"{name}.{lang}", _row(core, name, lang)
    if version:
        template = await read_version(key, version, core.records)
    else:
        template = core.prompts.saved[key].template if version is None and key in core.prompts.saved else read_packaged(name, lang)
    values = learn_values(read_packaged(name, each) for each in LANGUAGES)
    versions = [VersionBody(**asdict(each)) for each in await list_versions(key, core.records)]
    return PromptBody(**row.model_dump(), template=template, variables=values.paths(), versions=versions)


async def save(core: Core, caller: Caller, name: str, lang: str, template: str) -> int:
    """Saves and activates a template. → the new version's number. BadRequest, with the line, for a template that could fail."""
    from footnote.prompts.rules import check_template, learn_values

    check_prompt_name(name)
    check_template(template, learn_values(read_packaged(name, each) for each in LANGUAGES))
    await audit(core.records, caller, "prompt.set", f"{name}.{lang}", now=core.clock(), characters=len(template))
    number = await save_prompt(f"{name}.{lang}", template, by=caller.user_id, records=core.records, cache=core.cache)
    await core.load_changes()
    return number


async def restore(core: Core, caller: Caller, name: str, lang: str, version: int) -> None:
    """Activates an earlier version. NotFound if there is none, BadRequest if it breaks today's rules."""
    from footnote.prompts.rules import check_template, learn_values

    check_prompt_name(name)
    template = await read_version(f"{name}.{lang}", version, core.records)
    check_template(template, learn_values(read_packaged(name, each) for each in LANGUAGES))  # the rules may have changed
    await audit(core.records, caller, "prompt.set", f"{name}.{lang}", now=core.clock(), version=version)
    await restore_prompt(f"{name}.{lang}", version, by=caller.user_id, records=core.records, cache=core.cache)
    await core.load_changes()


async def reset(core: Core, caller: Caller, name: str, lang: str) -> None:
    """Activates the packaged text."""
    check_prompt_name(name)
    await audit(core.records, caller, "prompt.reset", f"{name}.{lang}", now=core.clock())
    await reset_prompt(f"{name}.{lang}", core.records, core.cache)
    await core.load_changes()


def check_prompt_name(name: str) -> None:
    """NotFound, with the names of all prompts, for an unknown one."""
    if name not in prompt_names():
        raise NotFound(f"There is no such prompt. Existing prompts: {', '.join(prompt_names())}.")


def _row(core: Core, name: str, lang: str) -> PromptRow:
    saved = core.prompts.saved.get(f"{name}.{lang}")
    if saved is None:
        return PromptRow(name=name, lang=lang, source="packaged", version=None, changed_at=None, changed_by=None)
    return PromptRow(name=name, lang=lang, source="saved", version=saved.version, changed_at=saved.saved_at, changed_by=saved.saved_by)
