"""Settings for conversations: how they are understood and how long they are kept."""

from typing import ClassVar

from footnote.settings.marks import Group, Topic, setting


class Conversation(Group):
    """How conversations are understood, and how long they are kept."""

    topic: ClassVar[Topic] = "answers"

    keep_days: float | None = setting(
        None,
        gt=0,
        le=365_000,  # times that are past or to come by so much are still dates in every store
        description="Days after which a turn is deleted. Unset: never.",
        changeable=True,
        affects="nothing",
        topic="storage",
    )
    rewrite: bool = setting(True, description="Make a follow-up a question that stands alone.", changeable=True, affects="search")
    history: bool = setting(
        True,
        description="Read the earlier turns of a conversation.",
        changeable=True,
        affects="search",
    )
    max_history_turns: int = setting(
        15,
        gt=0,
        le=100,
        description="Earlier turns that are read. Unset: the API's default.",
        changeable=True,
        affects="search",
    )

    def turns(self, usual: int) -> int:
        """Number of earlier turns to read; `usual`: that of the API."""
        return self.max_history_turns if "max_history_turns" in self.model_fields_set else usual
