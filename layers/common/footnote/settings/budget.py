"""Settings for users' budgets."""

from __future__ import annotations

from typing import ClassVar

from pydantic import BaseModel, Field

from footnote.settings.marks import Group, Topic, setting

MOST_TOKENS, MOST_MONEY = 10**12, 1e9
"""Money is counted in millionths: so much of it is still counted exactly."""


class UserBudget(BaseModel, frozen=True, extra="forbid", defer_build=True):
    """The budget of one user; None = that of everybody, 0 = unlimited."""

    tokens_per_day: int | None = Field(None, ge=0, le=MOST_TOKENS)
    money_per_day: float | None = Field(None, ge=0, le=MOST_MONEY)


class Budget(Group):
    """Budget of each user per day (UTC). From `cheaper_at` on a cheaper model answers; above the budget there are only search results."""

    topic: ClassVar[Topic] = "limits"

    tokens_per_day: int = setting(0, ge=0, le=MOST_TOKENS, description="Tokens; 0 = unlimited.", changeable=True, affects="nothing")
    money_per_day: float = setting(
        0, ge=0, le=MOST_MONEY, description="Cost, in the currency of the prices; 0 = unlimited.", changeable=True, affects="nothing"
    )
    cheaper_at: float = setting(
        0.8, gt=0, le=1, description="Share of it from which `LLM__CHEAPER_MODEL` answers.", changeable=True, affects="nothing"
    )
    users: dict[str, UserBudget] = setting(
        {},
        description='Budgets of single users instead: `{"ann": {"tokens_per_day": 50000}}`.',
        changeable=True,
        affects="nothing",
    )

    def of(self, user_id: str) -> Budget:
        """The budget of this user."""
        own = self.users.get(user_id)
        return self if own is None else self.model_copy(update=own.model_dump(exclude_none=True))
