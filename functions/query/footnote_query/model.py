"""`/model`: the language model that answers, or why there is none."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from footnote.answer.messages import message
from footnote.answer.model_source import no_model, which_model
from footnote.errors import ModelUnavailable
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

router = Router("Asking")


class ModelStatus(BaseModel):
    """The language model of requests that name none."""

    model: str | None = Field(description="Its name; null = there is none, and answers are quoted from the documents.")
    text: str = Field(description="The model and its server, or why there is none and how to add one. Only admins see servers.")


@router.get("/model", name="get_language_model")
async def model(caller: CallerOf, core: CoreOf, lang: Literal["en", "de", "ko"] = "en") -> ModelStatus:
    """Returns which language model answers. On one machine this looks for a local one."""
    models, is_admin = core.models, caller.role == "admin"
    try:
        picked = await models.pick(core.llm.model)
    except ModelUnavailable:
        failed = message("model_failed_at", lang, address=models.address) if is_admin and models.address else message("model_failed", lang)
        return ModelStatus(model=None, text=failed)
    if picked is None:
        return ModelStatus(model=None, text=no_model(models.source if is_admin else None, lang))
    return ModelStatus(model=picked.name, text=which_model(models.source, picked.name, models.address, lang) if is_admin else picked.name)
