"""Settings for Confluence."""

from typing import ClassVar

from pydantic import SecretStr

from footnote.settings.marks import Group, Topic, setting

ADDRESS = r"^(https?://[^/?#\s@]+(/[^?#\s]*)?)?$"


class Confluence(Group):
    """A Confluence Data Center whose pages may be added. The three mappings decide who may read them."""

    topic: ClassVar[Topic] = "documents"

    base_url: str | None = setting(
        None,
        pattern=ADDRESS,
        description="Address with its context path: `https://wiki.example.org/confluence`. Only pages from there can be added.",
        affects="nothing",
        https=True,
    )
    token: SecretStr | None = setting(
        None, description="Personal access token. Its account reads the pages.", affects="nothing", foreign=True
    )
    user: str | None = setting(
        None,
        pattern=r"^[^:]*$",
        description="Sign in as this user, with `CONFLUENCE__TOKEN` as the password. Unset: the token is sent as a bearer.",
        affects="nothing",
    )
    verify_tls: bool = setting(True, description="Verify the certificate of Confluence's host.", affects="nothing")
    spaces: dict[str, list[str]] = setting(
        {},
        description="Space key → permission groups whose members may all view the space, as JSON. Pages of other spaces become FAILED.",
        affects="nothing",
    )
    groups: dict[str, list[str]] = setting(
        {},
        description="Group of Confluence → permission groups whose members all belong to it, as JSON. For pages with restrictions.",
        affects="nothing",
    )
    users: dict[str, list[str]] = setting(
        {},
        description='User of Confluence → permission groups of that user alone, as JSON: `{"jdoe": ["user:john"]}`. For the same.',
        affects="nothing",
    )
    limit_s: float = setting(
        60, gt=0, le=3600, description="Timeout of a request to Confluence, retries included, in seconds.", affects="nothing"
    )
