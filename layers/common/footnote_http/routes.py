"""The routes of a module, and what else holds at their paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI

from footnote_http.openapi import Problem, Responses

ErrorShape = Callable[[Problem, Exception | None], tuple[int, dict[str, Any]]]
"""A problem, and what was raised if anything was → (status, body)."""


class Router(APIRouter):
    """Declares routes; the app that includes them builds them. FastAPI's own `include_router` would build each route twice, the
    second time while the first request waits.

    `tag` and `responses` are those of all its routes. `errors`: path → the shape that clients of this path, and of those below it,
    expect errors in. `images`: paths whose bodies may hold images, in base64."""

    def __init__(
        self,
        tag: str | None = None,
        *,
        responses: Responses | None = None,
        errors: Mapping[str, ErrorShape] | None = None,
        images: Collection[str] = (),
    ) -> None:
        super().__init__(tags=[tag] if tag else None, responses=responses)
        self.errors = dict(errors or {})
        self.images = frozenset(images)
        self._declared: list[tuple[str, Callable[..., Any], dict[str, Any]]] = []

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["responses"] = {**self.responses, **(options.get("responses") or {})}
        self._declared.append((path, endpoint, options | {"tags": self.tags}))

    def add_to(self, app: FastAPI) -> None:
        for path, endpoint, options in self._declared:
            app.router.add_api_route(path, endpoint, **options)
        app.state.error_shapes |= self.errors
        app.state.with_images |= self.images
