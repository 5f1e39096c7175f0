"""Settings for the retention of conversations."""

from footnote.settings.marks import Group, setting


class Conversation(Group):
    """Retention of conversations."""

    keep_days: float | None = setting(
        None, gt=0, description="Days after which a turn is deleted. Unset: never.", changeable=True, affects="nothing"
    )
