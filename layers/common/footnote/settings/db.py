"""The database of conversations."""

from pydantic import SecretStr

from footnote.settings.marks import FUNCTIONS, Group, setting


class DB(Group):
    """Conversations in MongoDB. Unset: in the embedded store."""

    uri: SecretStr | None = setting(None, description="MongoDB URI; stands before host and port.", affects="nothing", needed_by=FUNCTIONS)
    host: str | None = setting(None, description="Host of a MongoDB without passwords.", affects="nothing")
    port: int = setting(27017, gt=0, lt=65536, description="Its port.", affects="nothing")
    name: str = setting("footnote", min_length=1, description="Database of the conversations.", affects="nothing")
    statistics: str = setting("statistics", min_length=1, description="Database of the roll-ups.", affects="nothing")

    @property
    def address(self) -> str | None:
        """The URI, or one from host and port; None = no MongoDB is configured."""
        if self.uri is not None:
            return self.uri.get_secret_value()
        return f"mongodb://{self.host}:{self.port}" if self.host else None
