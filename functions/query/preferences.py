"""`/me/preferences`: which model a user wants, where a request names none."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.types import ADMINS, EVERYONE
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

router = Router("Me")


class Preferences(BaseModel):
    model_id: str | None = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")


class AllowedPreferences(Preferences):
    allowed_models: list[str] = Field(description="What may be preferred; [] = every model of the endpoint.")
    own_group: str | None = Field(description="The permission group of the caller alone; null = nobody signs in, there is one user.")
    groups: list[str] = Field(description="The groups that the caller is in, and may add documents for.")


@router.get("/me/preferences", name="get_preferences")
async def preferences(caller: CallerOf, core: CoreOf) -> AllowedPreferences:
    """What the caller prefers; null = nothing, or a model that is not allowed any more."""
    record = await core.records.get("preference", caller.user_id)
    model = record.value["model_id"] if record else None
    llm = core.settings.llm
    own = f"user:{caller.user_id}"
    return AllowedPreferences(
        model_id=model if model and llm.allows(model) else None,
        allowed_models=llm.allowed_models,
        own_group=None if caller.sees_all else own,
        groups=sorted(caller.groups - {own, ADMINS, EVERYONE}),
    )


@router.put("/me/preferences", name="set_preferences")
async def prefer(body: Preferences, caller: CallerOf, core: CoreOf) -> Preferences:
    """Prefers a model from now on; null = none."""
    if body.model_id is None:
        await core.records.delete("preference", caller.user_id)
    else:
        core.llm.check_model(body.model_id)
        await core.records.put("preference", caller.user_id, {"model_id": body.model_id}, by=caller.user_id)
    return body
