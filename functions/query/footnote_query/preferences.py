"""`/me/preferences`: the model for requests of a user that name none."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.types import ADMINS, EVERYONE
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

router = Router("Me")


class Preferences(BaseModel):
    """A user's preferences."""

    model_id: str | None = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")


class AllowedPreferences(Preferences):
    """A user's preferences and their possible values."""

    allowed_models: list[str] = Field(description="Models to choose from; [] = every model of the endpoint.")
    own_group: str | None = Field(description="The caller's own permission group; null = single-user mode without sign-in.")
    is_admin: bool
    groups: list[str] = Field(description="Groups of the caller, for which they may add documents.")
    has_password: bool = Field(description="Whether the caller has an account, whose password they can change.")


@router.get("/me/preferences", name="get_preferences")
async def preferences(caller: CallerOf, core: CoreOf) -> AllowedPreferences:
    """Returns the caller's preferences. `model_id` null = none, or a model that is no longer allowed."""
    record = await core.records.get("preference", caller.user_id)
    model = record.value["model_id"] if record else None
    llm = core.settings.llm
    own = f"user:{caller.user_id}"
    account = await core.accounts.find(caller.user_id) if core.settings.auth.has_accounts else None
    return AllowedPreferences(
        model_id=model if model and llm.allows(model) else None,
        allowed_models=llm.allowed_models,
        own_group=None if caller.sees_all else own,
        is_admin=caller.role == "admin",
        groups=sorted(caller.groups - {own, ADMINS, EVERYONE}),
        has_password=account is not None and account.password is not None,
    )


@router.put("/me/preferences", name="set_preferences")
async def prefer(body: Preferences, caller: CallerOf, core: CoreOf) -> Preferences:
    """Sets the caller's preferred model; null = none."""
    if body.model_id is None:
        await core.records.delete("preference", caller.user_id)
    else:
        core.llm.check_model(body.model_id)
        await core.records.put("preference", caller.user_id, {"model_id": body.model_id}, by=caller.user_id)
    return body
