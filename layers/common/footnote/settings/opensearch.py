"""Settings for the index in OpenSearch."""

from typing import ClassVar, Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, Topic, setting


class OpenSearch(Group):
    """The index in an OpenSearch cluster. Unset: the embedded index."""

    topic: ClassVar[Topic] = "storage"

    url: str | None = setting(None, description="URL of an OpenSearch cluster or domain.", affects="search", needed_by=("query", "ingest"))
    auth: Literal["none", "basic", "aws"] = setting(
        "none", description="basic: user and password; aws: requests are signed.", affects="nothing"
    )
    service: Literal["es", "aoss"] = setting(
        "es",
        description="Service that requests are signed for: es, a domain; aoss, a serverless collection (not otherwise supported).",
        affects="nothing",
    )
    user: str | None = setting(None, description="User for basic.", affects="search")
    password: SecretStr | None = setting(None, description="Password for basic.", affects="nothing")
    prefix: str = setting("footnote", pattern=r"^[a-z][a-z0-9]{0,30}$", description="Prefix of the names of all indexes.", affects="search")
    server_fusion: bool = setting(False, description="Let the cluster fuse the two lists; slower, and only for cc.", affects="search")
    limit_s: float = setting(
        3,
        gt=0,
        le=300,
        description="Timeout of a search, in seconds.",
        affects="nothing",
    )
