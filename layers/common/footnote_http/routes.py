"""The router of a module: its routes, and the error shapes and limits at their paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from starlette.routing import Match
from starlette.routing import Route as BaseRoute
from starlette.types import Receive, Scope, Send

from footnote_http.callers import Route
from footnote_http.openapi import Problem, Responses

ErrorShape = Callable[[Problem, Exception | None], tuple[int, dict[str, Any]]]
"""(problem, the exception if there was one) → (status, body)."""


@dataclass(slots=True)
class Declared:
    """A route of all apps. `built`: it, in the first app that needed it."""

    path: str
    endpoint: Callable[..., Any]
    options: dict[str, Any]
    built: Route | None = None

    def route_of(self, app: FastAPI) -> Route:
        """The route in this app."""
        if self.built is not None:
            return self.built.for_app(app)
        router = copy(app.router)
        router.routes = []
        router.add_api_route(self.path, self.endpoint, **self.options)
        self.built = cast(Route, router.routes[0])
        return self.built


class LazyRoute(BaseRoute):
    """A declared route in an app."""

    def __init__(self, declared: Declared, app: FastAPI) -> None:
        super().__init__(declared.path, declared.endpoint, methods=declared.options["methods"])
        self._declared, self._app = declared, app

    @cached_property
    def built(self) -> Route:
        """FastAPI's route."""
        return self._declared.route_of(self._app)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As of the route that it stands for, which is built unless the path is another."""
        match, nothing = super().matches(scope)
        return (match, nothing) if match is Match.NONE else self.built.matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.built.handle(scope, receive, send)


class Router(APIRouter):
    """Declares routes. Each is built when it first matches a request, and shared by all apps: a process serves few of them, and building
    all takes a fifth of the time of the import.

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
        self._declared: list[Declared] = []

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Declares a route without building it."""
        options["responses"] = {**self.responses, **(options.get("responses") or {})}
        self._declared.append(Declared(path, endpoint, options | {"tags": self.tags}))

    def add_to(self, app: FastAPI) -> None:
        """Adds the declared routes to `app`."""
        app.router.routes += [LazyRoute(declared, app) for declared in self._declared]
        app.state.error_shapes |= self.errors
        app.state.with_images |= self.images
