"""Settings for signing in."""

from typing import ClassVar, Literal

from pydantic import BaseModel, Field, SecretStr

from footnote.settings.marks import Group, Topic, setting


class ApiKey(BaseModel, frozen=True, defer_build=True):
    """The API key of a user or program. `role`: an admin sees everyone's figures and unassigned files. `forwards_users`: the key
    of a program, such as Open WebUI, that names the actual user in `X-OpenWebUI-User-Id`."""

    key: SecretStr = Field(min_length=1)
    groups: list[str] = []
    role: Literal["user", "admin"] = "user"
    forwards_users: bool = False


class Auth(Group):
    """Signing in. In AWS a mode other than none is required."""

    topic: ClassVar[Topic] = "access"

    mode: Literal["none", "session", "api_key", "jwt"] = setting(
        "none",
        description="none: anyone who can reach the server is the local user. session: accounts, and tokens of"
        " `footnote session create`. api_key: `AUTH__API_KEYS`. jwt: tokens of an identity provider.",
        affects="nothing",
        not_in_aws=("none",),
    )
    accounts: bool = setting(
        True,
        description="For session: whether people may sign in by name and password. The template for AWS sets it to false.",
        affects="nothing",
    )
    issuer: str | None = setting(None, description="For jwt: issuer of the tokens (`iss`).", affects="nothing")
    audience: str | None = setting(None, description="For jwt: audience of the tokens (`aud`).", affects="nothing")
    jwks_url: str | None = setting(None, description="For jwt: URL of the issuer's keys (JWKS).", affects="nothing", https=True)
    algorithm: Literal["RS256", "ES256", "EdDSA"] = setting(
        "RS256", description="For jwt: the only signature algorithm that is accepted.", affects="nothing"
    )
    groups_claim: str = setting("groups", description="For jwt: the claim that lists permission groups.", affects="nothing")
    admin_group: str | None = setting(None, description="For jwt: the group whose members are admins.", affects="nothing")
    api_keys: dict[str, ApiKey] = setting(
        {},
        description='User → key, e.g. `{"ann": {"key": "…", "groups": ["staff"], "role": "user"}}`; with `"forwards_users": true`'
        " for [Open WebUI](clients.md#open-webui).",
        affects="nothing",
    )

    @property
    def has_accounts(self) -> bool:
        """Whether people may sign in by name and password."""
        return self.mode == "session" and self.accounts
