"""Settings for rate limits."""

from typing import ClassVar

from footnote.settings.marks import Group, Topic, setting


class Limits(Group):
    """Rate limits. They do not apply to the one local user of `AUTH__MODE` none."""

    topic: ClassVar[Topic] = "limits"

    user_per_minute: int = setting(
        60, ge=0, le=1_000_000, description="Questions per minute from one user; 0 = unlimited.", changeable=True, affects="nothing"
    )
    address_per_minute: int = setting(
        300,
        ge=0,
        le=1_000_000,
        description="Questions, and failed sign-ins, per minute from one address; 0 = unlimited.",
        changeable=True,
        affects="nothing",
    )
