"""The router of a module: its routes, and the error shapes and limits at their paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast

from fastapi import APIRouter, FastAPI

from footnote_http.callers import Route
from footnote_http.openapi import Problem, Responses

ErrorShape = Callable[[Problem, Exception | None], tuple[int, dict[str, Any]]]
"""(problem, the exception if there was one) → (status, body)."""


class Router(APIRouter):
    """Declares routes, which the first app builds and later apps share. FastAPI's `include_router` would build each route twice,
    the second time during the first request.

    `tag` and `responses` apply to all routes. `errors`: path prefix → error shape. `images`: paths that accept base64 images."""

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
        self._built: list[Route] = []

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Declares a route without building it."""
        options["responses"] = {**self.responses, **(options.get("responses") or {})}
        self._declared.append((path, endpoint, options | {"tags": self.tags}))

    def add_to(self, app: FastAPI) -> None:
        """Adds the declared routes to `app`."""
        if len(self._built) < len(self._declared):
            first = len(app.router.routes)
            for path, endpoint, options in self._declared:
                app.router.add_api_route(path, endpoint, **options)
            self._built = cast(list[Route], app.router.routes[first:])
        else:
            app.router.routes += [route.for_app(app) for route in self._built]
        app.state.error_shapes |= self.errors
        app.state.with_images |= self.images
