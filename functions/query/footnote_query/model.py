"""`/model`: the language model that answers, or why there is none; admins connect one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.answer.messages import message
from footnote.answer.model_source import no_model, which_model
from footnote.errors import ModelUnavailable
from footnote.settings.providers import PROVIDERS
from footnote.settings.saved_model import SavedModel, make_saved_model
from footnote_http.callers import AdminOf, CallerOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_query.admin import ADMINS

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")
DEPLOYED = ADMINS | problems({409: "The endpoint is a part of the deployment"})


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


class ProviderBody(BaseModel):
    """A provider of language models."""

    key: str
    name: str
    base_url: str = Field(description="Its address. A part in braces is your own.")
    needs_key: bool


class EndpointStatus(BaseModel):
    """The endpoint of the language model in use, without its key."""

    base_url: str | None = Field(description="null = none is configured or found.")
    model: str | None = Field(description="The model that was set; null = the endpoint's first one.")
    has_key: bool
    source: Literal["saved", "configured", "found", "none"] = Field(
        description="saved = with PUT; configured = with the server's settings; found = running on the server's machine."
    )
    changeable: bool = Field(description="Whether PUT changes it. In AWS the stack's parameters do.")
    providers: list[ProviderBody]


class Endpoint(BaseModel):
    """An endpoint that speaks OpenAI's API."""

    base_url: str | None = Field(
        None, max_length=2000, description="Its address, usually ending in /v1, or a provider's key; null = OpenAI."
    )
    model: str | None = Field(None, max_length=500, description="null = the first model that it lists; at OpenAI, gpt-4o-mini.")
    api_key: SecretStr | None = Field(None, description="null = the saved key, if the saved address is the same; else none.")


class ModelTrialBody(BaseModel):
    """What an endpoint answered."""

    listed: list[str] = Field(description="The models that it lists.")
    model: str | None = Field(description="The model that was asked for a word.")
    seconds: float | None = Field(description="Until its first word; null = it did not answer.")
    problem: str | None = Field(description="Why it did not answer.")


@router.get("/model/endpoint", name="get_model_endpoint", responses=ADMINS)
async def endpoint(admin: AdminOf, core: CoreOf) -> EndpointStatus:
    """Returns where the language model is, and the providers that can be connected."""
    saved, (_, model, key) = core.live.saved_model, core.settings.model_endpoint
    state = core.models.source.state
    source: Literal["saved", "configured", "found", "none"] = "none"
    if saved is not None:
        source = "saved"
    elif state in ("configured", "found"):
        source = "configured" if state == "configured" else "found"
    return EndpointStatus(
        base_url=core.models.address,
        model=model,
        has_key=key is not None,
        source=source,
        changeable=core.live.model_file is not None,
        providers=[ProviderBody(**each._asdict()) for each in PROVIDERS],
    )


@router.post("/model/try", name="try_model", responses=ADMINS)
async def try_model(body: Endpoint, admin: AdminOf, core: CoreOf) -> ModelTrialBody:
    """Asks an endpoint for its models, and one of them for a word. Nothing is saved."""
    from footnote.bootstrap.model_trial import try_endpoint

    return ModelTrialBody(**asdict(await try_endpoint(_endpoint(core, body))))


@router.put("/model", name="set_language_model", status_code=204, responses=DEPLOYED)
async def set_model(body: Endpoint, admin: AdminOf, core: CoreOf) -> None:
    """Connects a language model: the next question uses it. No route returns the key."""
    await core.save_model(admin, _endpoint(core, body))


@router.delete("/model", name="remove_language_model", status_code=204, responses=DEPLOYED)
async def remove_model(admin: AdminOf, core: CoreOf) -> None:
    """Removes the saved endpoint: the configured one is used again, or one that runs on the server's machine."""
    await core.save_model(admin, None)


def _endpoint(core: Core, body: Endpoint) -> SavedModel:
    """What the body describes. A saved key is sent to the address that it was saved for only."""
    given = make_saved_model(body.base_url, body.model, body.api_key.get_secret_value() if body.api_key else None)
    saved = core.live.saved_model
    if given.api_key is None and saved is not None and saved.address == given.address:
        return given.model_copy(update={"api_key": saved.api_key})
    return given
