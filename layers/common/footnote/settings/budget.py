"""What somebody may spend."""

from footnote.settings.marks import Group, setting


class Budget(Group):
    """What one user may spend in a day (UTC). From `cheaper_at` on a cheaper model answers, then search results only."""

    tokens_per_day: int = setting(0, ge=0, description="Tokens; 0 = any number.", changeable=True, affects="nothing")
    money_per_day: float = setting(
        0, ge=0, description="Money, in the currency of the prices; 0 = any sum.", changeable=True, affects="nothing"
    )
    cheaper_at: float = setting(
        0.8, gt=0, le=1, description="Share of it from which `LLM__CHEAPER_MODEL` answers.", changeable=True, affects="nothing"
    )
