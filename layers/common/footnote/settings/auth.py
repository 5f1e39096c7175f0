"""How users sign in."""

from typing import Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.settings.marks import Group, setting


class ApiKey(BaseModel, frozen=True, defer_build=True):
    """Of one user or program. `role`: an admin sees everybody's figures and unassigned files. `forwards_users`: a program, such
    as Open WebUI, that says in `X-OpenWebUI-User-Id` for whom it asks."""

    key: SecretStr = Field(min_length=1)
    groups: list[str] = []
    role: Literal["user", "admin"] = "user"
    forwards_users: bool = False


class Auth(Group):
    """Who asks. In AWS somebody must have signed in."""

    mode: Literal["none", "session", "api_key", "jwt"] = setting(
        "none",
        description="none: everyone who reaches the server is the one local user. session: tokens made by `footnote session create`."
        " api_key: the keys of `AUTH__API_KEYS`. jwt: tokens of an identity provider.",
        affects="nothing",
        not_in_aws=("none",),
    )
    issuer: str | None = setting(None, description="Of jwt: who makes the tokens (`iss`).", affects="nothing")
    audience: str | None = setting(None, description="Of jwt: whom they are for (`aud`).", affects="nothing")
    jwks_url: str | None = setting(None, description="Of jwt: where the issuer's keys are.", affects="nothing", https=True)
    algorithm: Literal["RS256", "ES256", "EdDSA"] = setting(
        "RS256", description="Of jwt: the one way of signing that is accepted.", affects="nothing"
    )
    groups_claim: str = setting("groups", description="Of jwt: the claim that lists permission groups.", affects="nothing")
    admin_group: str | None = setting(None, description="Of jwt: the group whose members are admins.", affects="nothing")
    api_keys: dict[str, ApiKey] = setting(
        {},
        description='User → key, e.g. `{"ann": {"key": "…", "groups": ["staff"], "role": "user"}}`. With'
        ' `"forwards_users": true` the key is that of a program which says for whom it asks ([Open WebUI](clients.md#open-webui)).',
        affects="nothing",
    )
