"""The index in OpenSearch."""

from typing import Literal

from pydantic import SecretStr

from footnote.settings.marks import Group, setting


class OpenSearch(Group):
    """The index in a cluster of its own. Unset: the embedded one."""

    url: str | None = setting(
        None, description="Address of an OpenSearch cluster or domain.", affects="search", needed_by=("query", "ingest")
    )
    auth: Literal["none", "basic", "aws"] = setting(
        "none", description="none, basic (user and password) or aws (requests are signed).", affects="nothing"
    )
    service: Literal["es", "aoss"] = setting(
        "es",
        description="What requests are signed for: es = a domain, aoss = a serverless collection, not supported beyond that yet.",
        affects="nothing",
    )
    user: str | None = setting(None, description="For basic.", affects="search")
    password: SecretStr | None = setting(None, description="For basic.", affects="nothing")
    prefix: str = setting(
        "footnote", pattern=r"^[a-z][a-z0-9]{0,30}$", description="What the names of all indexes begin with.", affects="search"
    )
    server_fusion: bool = setting(
        False, description="Let the cluster fuse the two lists by its `hybrid` query; slower, and cc only.", affects="search"
    )
    limit_s: float = setting(3, gt=0, description="Longest wait for one search, in seconds.", affects="nothing")
