"""Settings for the database of conversations."""

from typing import ClassVar

from pydantic import SecretStr

from footnote.settings.marks import FUNCTIONS, Group, Topic, setting


class DB(Group):
    """MongoDB for conversations. Unset: the embedded store."""

    topic: ClassVar[Topic] = "storage"

    uri: SecretStr | None = setting(
        None, description="MongoDB URI; takes precedence over host and port.", affects="nothing", needed_by=FUNCTIONS
    )
    host: str | None = setting(None, description="Host of a MongoDB without authentication.", affects="nothing")
    port: int = setting(27017, gt=0, lt=65536, description="Port of that host.", affects="nothing")
    name: str = setting("footnote", min_length=1, description="Database for conversations.", affects="nothing")
    statistics: str = setting("statistics", min_length=1, description="Database for aggregated statistics.", affects="nothing")

    @property
    def address(self) -> str | None:
        """The URI, or one from host and port; None = no MongoDB is configured."""
        if self.uri is not None:
            return self.uri.get_secret_value()
        return f"mongodb://{self.host}:{self.port}" if self.host else None
