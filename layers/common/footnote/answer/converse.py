"""Messages for an answer without documents: the conversation so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.today import today
from footnote.prompts import Prompts
from footnote.settings import LLM, Conversation
from footnote.text.tokens import count_tokens
from footnote.types import Exchange, Message, Turn


async def assemble_conversation(turn: Turn, *, prompts: Prompts, llm: LLM, conversation: Conversation) -> Turn:
    """Sets `turn.messages`: system message, as much of the history as fits, question."""
    system = Message("system", turn.conversation.system or prompts.render(turn.profile.prompt, turn.lang, {}))
    earlier = history_messages(exchanges_shown(turn, conversation), budget_of(turn, llm).conversation)
    return replace(turn, messages=(system, *earlier, Message("user", f"{today(turn, prompts)}\n\n{turn.request.question}")))


def history_messages(history: Sequence[Exchange], budget: int) -> tuple[Message, ...]:
    """The last exchanges that fit into `budget` tokens as messages, oldest first. Of the last answer, which the question may be about,
    as much is kept as fits; other exchanges are never cut."""
    kept: list[Message] = []
    for exchange in reversed(history):
        budget -= count_tokens(exchange.question)
        answer, tokens = exchange.answer, count_tokens(exchange.answer)
        if tokens > budget:
            if kept or budget <= 0:
                break
            answer = f"{answer[: len(answer) * budget // tokens].rstrip()} …"
        budget -= tokens
        kept = [Message("user", exchange.question), Message("assistant", answer), *kept]
    return tuple(kept)
