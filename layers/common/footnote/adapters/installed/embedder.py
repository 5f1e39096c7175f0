"""Embedders of installed packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from footnote.adapters.shared.embedder import malformed, wrong_length
from footnote.errors import FootnoteError, ModelUnavailable
from footnote.plugins import BrokenPlugin, Plugin

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from footnote.settings import Embedding
    from footnote.settings.embedding import FurtherEmbedder


class InstalledEmbedder:
    """`ports.Embedder` of an installed package. What the package does wrong is a ModelUnavailable that names it, so documents are found by
    keyword meanwhile, as with any embedder that is down."""

    def __init__(self, plugin: Plugin, wanted: Embedding | FurtherEmbedder) -> None:
        self._package = plugin.package
        self._made: Any = None
        self._broken = ""
        try:
            self._made = plugin.load()(wanted)
            self.name, self.dimension = str(self._made.name), int(self._made.dimension)
            self.languages: frozenset[str] | None = self._made.languages
        except BrokenPlugin as exc:
            self._broken = str(exc)
        except Exception as exc:  # the package's code
            self._broken = self._failed(exc)
        if self._broken:
            self.name, self.dimension, self.languages = plugin.name, wanted.dimension, None

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        if self._broken:
            raise ModelUnavailable(self._broken)
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        try:
            vectors = np.array(await self._made.embed(texts, query=query), np.float32)
        except FootnoteError:
            raise
        except Exception as exc:  # the package's code, which may log nothing and raise anything
            raise ModelUnavailable(self._failed(exc)) from exc
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise malformed(self.name)
        if vectors.shape[1] != self.dimension:
            raise wrong_length(self.name, str(vectors.shape[1]), self.dimension)
        vectors[~vectors.any(axis=1), 0] = 1  # such as those of texts without words
        scaled: npt.NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return scaled

    def _failed(self, exc: Exception) -> str:
        """Without the text of the error, which may hold that of a document."""
        return f"The embedder of the package {self._package} failed ({type(exc).__name__})."
