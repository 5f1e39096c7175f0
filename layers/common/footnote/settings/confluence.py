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
        description="Address with its context path: `https://wiki.example.org/confluence`.",
        affects="nothing",
        https=True,
    )
    token: SecretStr | None = setting(
        None, description="Personal access token. Its account reads the pages.", affects="nothing", foreign=True
    )
    user: str | None = setting(
        None,
        pattern=r"^[^:]*$",
        description="Sign in as this user, with the token as the password.",
        affects="nothing",
    )
    verify_tls: bool = setting(True, description="Verify the certificate of Confluence's host.", affects="nothing")
    spaces: dict[str, list[str]] = setting(
        {},
        description="Space key → permission groups whose members may all view the space.",
        affects="nothing",
    )
    groups: dict[str, list[str]] = setting(
        {},
        description="Group of Confluence → permission groups whose members all belong to it.",
        affects="nothing",
    )
    users: dict[str, list[str]] = setting(
        {},
        description='User of Confluence → permission groups of that user alone: `{"jdoe": ["user:john"]}`.',
        affects="nothing",
    )
    limit_s: float = setting(
        60, gt=0, le=3600, description="Timeout of a request to Confluence, retries included, in seconds.", affects="nothing"
    )
