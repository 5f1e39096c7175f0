"""Token limits of the parts of a prompt and of the answer, by the answering model's context window and size.

    passages 56 %, history 10–15 %, answer 18 %; the rest is for the instructions

An API sets the tokens of its passages and its answer. A window known from the model's server, or else from its name, only bounds them; a
configured one decides. Configured values for the passages, the answer or the number of turns override both."""

from __future__ import annotations

from dataclasses import dataclass

from footnote.settings import LLM, Conversation
from footnote.types import Exchange, Turn, tier_of_model, window_of
from footnote.types.copies import replace

PASSAGES, ANSWER = 0.56, 0.18
"""Shares of the context window."""
HISTORY = 0.25
"""Of the API's tokens for passages, where no window is known."""


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens. `history`: beside passages. `conversation`: of the history where there are no passages. `answer`: None = the model's
    default."""

    passages: int
    history: int
    conversation: int
    answer: int | None


def budget_of(turn: Turn, llm: LLM) -> TokenBudget:
    """The budget of this turn's prompt and answer."""
    profile, model = turn.profile, turn.plan.model or ""
    usual = TokenBudget(profile.context_tokens, round(profile.context_tokens * HISTORY), profile.context_tokens, profile.max_tokens)
    window = llm.context_window or turn.plan.window or window_of(model)
    if window is None:
        return usual
    passages, history, answer = (round(window * share) for share in (PASSAGES, tier_of_model(model).history_share, ANSWER))
    fitting = TokenBudget(passages, history, passages + history, min(answer, profile.max_tokens or answer))
    if llm.context_window is None:
        fitting = replace(
            fitting,
            passages=min(passages, usual.passages),
            history=min(history, usual.history),
            conversation=min(fitting.conversation, usual.conversation),
        )
    return replace(fitting, passages=usual.passages) if profile.fixed_context else fitting


def exchanges_shown(turn: Turn, conversation: Conversation) -> tuple[Exchange, ...]:
    """The last exchanges of the conversation, as many as suit the model's size. A configured number wins."""
    exchanges, turns = turn.conversation.exchanges, tier_of_model(turn.plan.model or "").turns
    return exchanges if turns is None or "max_history_turns" in conversation.model_fields_set else exchanges[-turns:]
