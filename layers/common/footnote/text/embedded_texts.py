"""The embedded texts: of a chunk its text and its sentences, with the words needed to understand them alone; and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnote.ports import CrossLingualEmbedder, EmbeddedPassage, Embedder, PassageEmbedder
from footnote.types import Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BETWEEN = 4
"""Most characters between two headings at the beginning of a chunk: a separator or an empty line."""

MIXED = 0.1
"""With this share of passages in other languages than the question, its vector must not depend on its language."""


def passage_of(title: str, headings: Sequence[str], text: str, bounds: Sequence[tuple[int, int]]) -> EmbeddedPassage:
    """The embedded form of the chunk: below its title and headings, without those repeated by the title or the beginning of the text.
    `bounds`: of the sentences in `text`."""
    opening = text[: sum(len(heading) + BETWEEN for heading in headings)]
    above = (heading for heading in (title, *(h for h in headings if h != title and h not in opening)) if heading)
    lead = "".join(f"{heading} " for heading in above)
    nearest = next((heading for heading in reversed(headings) if heading != title), title)
    return EmbeddedPassage(lead + text, tuple((start + len(lead), end + len(lead)) for start, end in bounds), nearest)


async def passage_vectors(embedder: Embedder, passages: Sequence[EmbeddedPassage]) -> list[npt.NDArray[np.float32]]:
    """For each passage (1 + sentences, dimension): its vector, then those of its sentences. If the embedder takes whole texts only, a
    sentence is embedded below its heading: “It costs 5 euros a day.” alone does not name the thing."""
    if isinstance(embedder, PassageEmbedder):
        return await embedder.embed_passages(passages)
    texts = [[passage.text, *_sentences(passage)] for passage in passages]
    rows = {text: row for row, text in enumerate(dict.fromkeys(text for passage_texts in texts for text in passage_texts))}
    vectors = await embedder.embed(list(rows))
    return [vectors[[rows[text] for text in passage_texts]] for passage_texts in texts]


async def embed_questions(turn: Turn, embedder: Embedder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """(len(texts), dimension): questions as the turn's own are embedded, without their language where passages are in others."""
    vectors = await embedder.embed(texts, query=True)
    is_mixed = turn.foreign_share >= MIXED
    return embedder.across_languages(vectors) if is_mixed and isinstance(embedder, CrossLingualEmbedder) else vectors


def quantise(vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Unit vectors → int8, value · 127 rounded."""
    import numpy as np

    return np.rint(vectors * 127).astype(np.int8)


def _sentences(passage: EmbeddedPassage) -> list[str]:
    above, sentences = passage.heading, (passage.text[start:end] for start, end in passage.bounds)
    return [f"{above}: {sentence}" if above and sentence != above else sentence for sentence in sentences]
