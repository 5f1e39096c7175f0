"""How often somebody may ask."""

from footnote.settings.marks import Group, setting


class Limits(Group):
    """How often somebody may ask. Not for the one local user of `AUTH__MODE` none."""

    user_per_minute: int = setting(
        60, ge=0, description="Questions of one user in a minute; 0 = any number.", changeable=True, affects="nothing"
    )
    address_per_minute: int = setting(
        300,
        ge=0,
        description="Questions, and failed sign-ins, from one address in a minute; 0 = any number.",
        changeable=True,
        affects="nothing",
    )
