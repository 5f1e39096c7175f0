"""`/prompts/{name}/preview`, for admins: a question is answered with another text of a prompt, before it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from footnote.prompts import LANGUAGES, read_packaged
from footnote.types import Caller, OptionName, Profile, Request
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import SLOW
from footnote_http.routes import Router
from footnote_query.admin import ADMINS, MISSING, Lang, check_prompt_name

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Administration", responses=ADMINS)

PROFILE = Profile("preview", live=True, citation_style="numbered", prompt="answer_numbered", first_token_s=30)
"""Live, as on the page: below a text that is no answer the documents are quoted, and the text itself is shown."""
PROFILES = {
    "answer_footnote": replace(PROFILE, citation_style="footnote", prompt="answer_footnote"),
    "answer_references": replace(PROFILE, citation_style="references", prompt="system", question_prompt="answer_references"),
    "system": replace(PROFILE, citation_style="references", prompt="system", question_prompt="answer_references"),
}
"""Prompt → the profile whose turns use it; all others are tried with `PROFILE`."""
OF_EVERY_ANSWER = ("answer_numbered", *PROFILES)
"""These are used at every level; the others where an optional step is on."""

OPTION_OF: Mapping[str, OptionName] = {
    "classify": "classify_by_model",
    "critique": "critique",
    "follow_ups": "follow_up_by_model",
    "form": "answer_form",
    "hypothetical": "hypothetical",
    "quote_gate": "quote_gate",
    "reformulate": "reformulate",
}
"""Prompt → the option that a question needs so that the prompt is used, where no level has it on for every question."""


class Trial(BaseModel):
    """A prompt's text, and the question that it is tried on."""

    lang: Lang
    template: str
    query_text: str = Field(min_length=1, max_length=2000)
    index_name: str | None = Field(None, description="The collection. Default: the configured one.")


class SentMessage(BaseModel):
    """A message to the language model."""

    role: str
    content: str


class PreviewBody(BaseModel):
    """The answer with that text."""

    was_used: bool = Field(description="false: this question does not use the prompt.")
    sent: list[list[SentMessage]] = Field(
        description="The calls that the text is a part of, with their messages; without a language model, as one would be sent them."
    )
    rendered: list[str] = Field(description="What became of the text, each time.")
    text: str = Field(description="The answer.")
    model: str | None = Field(description="null = no language model answered.")
    total_tokens: int


@router.post("/prompts/{name}/preview", name="preview_prompt", responses=MISSING | SLOW)
async def preview_prompt(name: str, body: Trial, admin: AdminOf, core: CoreOf) -> PreviewBody:
    """Answers a question with this text of the prompt. Nothing is saved, stored or counted as a question."""
    return await preview(core, admin, name, body)


async def preview(core: Core, admin: Caller, name: str, wanted: Trial) -> PreviewBody:
    """NotFound for an unknown prompt, BadRequest for a template that could fail."""
    from footnote.prompts.rules import check_template, learn_values
    from footnote.prompts.tried import RecordedModels, TriedPrompts
    from footnote.steps import last_turn

    check_prompt_name(name)
    check_template(wanted.template, learn_values(read_packaged(name, each) for each in LANGUAGES))
    await core.load_changes()
    tried = TriedPrompts(core.prompts, name, wanted.lang, wanted.template)
    options: dict[OptionName, bool] = {"answer_cache": False}
    if name in OPTION_OF:
        options[OPTION_OF[name]] = True
    request = Request(
        question=wanted.query_text,
        collection=wanted.index_name or "",
        level=None if name in OF_EVERY_ANSWER else "maximum",
        options=options,
        is_test=True,
    )
    deps = core.turn_deps(turn := core.new_turn(request, admin, PROFILES.get(name, PROFILE)))
    deps.prompts = tried
    deps.models = models = RecordedModels(deps.models)
    turn = await last_turn(core.answer.run(turn, deps))
    text, model = (turn.answer.text, turn.answer.model) if turn.answer else ("", None)
    return PreviewBody(
        was_used=bool(tried.rendered),
        sent=[[SentMessage(role=message.role, content=message.content) for message in call] for call in models.calls_with(tried.rendered)],
        rendered=tried.rendered,
        text=text,
        model=model,
        total_tokens=turn.trace.usage.total_tokens,
    )
