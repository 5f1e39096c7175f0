"""Settings for users' budgets."""

from footnote.settings.marks import Group, setting


class Budget(Group):
    """Budget of each user per day (UTC). From `cheaper_at` on a cheaper model answers; above the budget there are only search results."""

    tokens_per_day: int = setting(0, ge=0, description="Tokens; 0 = unlimited.", changeable=True, affects="nothing")
    money_per_day: float = setting(
        0, ge=0, description="Cost, in the currency of the prices; 0 = unlimited.", changeable=True, affects="nothing"
    )
    cheaper_at: float = setting(
        0.8, gt=0, le=1, description="Share of the budget from which `LLM__CHEAPER_MODEL` answers.", changeable=True, affects="nothing"
    )
