"""What do we say? The language model's words, streamed, with their citations read back and checked."""

from __future__ import annotations

from collections.abc import AsyncIterator

from footnote.answer.citation_styles import cite
from footnote.answer.messages import message
from footnote.answer.stream_filters import MarkerFilter
from footnote.errors import ModelUnavailable
from footnote.events import Event, Think, Token
from footnote.ports import Index, Models
from footnote.text.tokens import count_tokens
from footnote.types import Answer, Turn, Usage


async def pick_model(turn: Turn, *, models: Models) -> Turn:
    """`turn.model`: the name of the model that will answer, or None when there is none."""
    model = await models.pick(turn.model)
    return turn.with_(model=model.name if model else None)


async def need_model(turn: Turn) -> Turn:
    """ModelUnavailable, with the remedy, where only a model can answer and there is none."""
    if turn.model is None:
        raise ModelUnavailable("This needs a language model. Start Ollama, or set LLM__BASE_URL and LLM__MODEL, or OPENAI_API_KEY.")
    return turn


def has_model(turn: Turn) -> bool:
    return turn.model is not None


def has_no_model(turn: Turn) -> bool:
    return turn.model is None


async def generate(turn: Turn, *, models: Models) -> AsyncIterator[Event | Turn]:
    """Streams the model's reply with checked citations; `turn.answer` is the whole of it."""
    model = await models.pick(turn.model)
    if model is None:
        raise ModelUnavailable("There is no language model.")
    profile, text, usage = turn.profile, "", None
    markers = MarkerFilter(turn.hits, profile.citation_style)
    stream = model.stream(
        turn.messages,
        temperature=profile.temperature,
        max_tokens=profile.max_tokens,
        first_token_s=profile.first_token_s,
        total_s=profile.total_s,
    )
    async for delta in stream:
        if delta.thinking:
            yield Think(delta.thinking)
        if delta.text:
            text += delta.text
            if ready := markers.feed(delta.text):
                yield Token(ready)
        usage = delta.usage or usage
    if rest := markers.flush():
        yield Token(rest)
    if not text.strip():
        raise ModelUnavailable("The language model sent an empty answer.")
    if usage is None:
        usage = Usage(sum(count_tokens(sent.content) for sent in turn.messages), count_tokens(text), estimated=True)
    cited, citations = cite(text.strip(), turn.hits, profile.citation_style, turn.lang)
    yield turn.with_(answer=Answer(cited.rstrip(), citations, model=model.name), usage=turn.usage + usage)


async def check_citations(turn: Turn) -> Turn:
    """An answer without a citation is rejected where the profile says so, else it carries a warning."""
    answer = turn.answer
    if answer is None or answer.citations or answer.extractive:
        return turn
    if turn.profile.reject_uncited:
        return turn.with_(outcome="refused", answer=Answer(message("uncited", turn.lang), model=answer.model))
    return turn.with_(answer=Answer(answer.text, (), model=answer.model, warnings=(*answer.warnings, "uncited")))


async def tell_nothing_found(turn: Turn, *, index: Index) -> AsyncIterator[Event | Turn]:
    """Settles a turn without hits: says how to rephrase, or that there is nothing yet that this caller may read."""
    visible = await index.sample(turn.caller, turn.collection, 1)
    text = message("no_hits" if visible else "empty", turn.lang)
    yield Token(text)
    yield turn.with_(outcome="no_hits", answer=Answer(text))


def found_nothing(turn: Turn) -> bool:
    return not turn.hits
