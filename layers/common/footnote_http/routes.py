"""The router of a module: its routes, and the error shapes and limits at their paths."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute, Match
from starlette.routing import Route as PlainRoute
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


class LazyRoute(PlainRoute):
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
        app.router.routes += self.routes_in(app)
        app.state.error_shapes |= self.errors
        app.state.with_images |= self.images

    def routes_in(self, app: FastAPI) -> list[LazyRoute]:
        """The declared routes, in this app."""
        return [LazyRoute(declared, app) for declared in self._declared]


class Later:
    """The routes of a module that is imported when the path of a request first begins like one of its paths: a process serves few
    modules, and importing them all takes a third of the time of the import.

    `module`: its name. Its `router` has no error shapes and no paths with images, which apply before a request is routed. `paths`: what
    its paths begin with."""

    def __init__(self, module: str, *paths: str) -> None:
        self.module = module
        self.paths = paths

    def add_to(self, app: FastAPI) -> None:
        """Adds the routes to `app`."""
        app.router.routes.append(LaterRoutes(self, app))


class LaterRoutes(BaseRoute):
    """The routes of a module in an app."""

    def __init__(self, later: Later, app: FastAPI) -> None:
        self._later, self._app = later, app

    @cached_property
    def routes(self) -> list[LazyRoute]:
        """Those that the module declares."""
        router: Router = import_module(self._later.module).router
        return router.routes_in(self._app)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As of the first of them with the request's path and method, else of the first with its path."""
        best: tuple[Match, Scope] = (Match.NONE, {})
        if scope["path"].startswith(self._later.paths):
            for route in self.routes:
                found = route.matches(scope)
                if found[0] is Match.FULL:
                    return found
                best = best if best[0] is Match.PARTIAL else found
        return best

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope["route"].handle(scope, receive, send)


def routes_of(app: FastAPI) -> list[BaseRoute]:
    """All routes of an app. Imports their modules."""
    routes: list[BaseRoute] = []
    for route in app.router.routes:
        routes += route.routes if isinstance(route, LaterRoutes) else [route]
    return routes
