"""`python -m footnote_local.openapi` generates `functions/query/footnote_query/openapi.json`: one OpenAPI document for all functions."""

from __future__ import annotations

import json
from pathlib import Path

FILE = Path(__file__).parents[1] / "functions/query/footnote_query/openapi.json"


def render() -> str:
    """The document as JSON. It includes the routes that the combined address forwards to each function."""
    from footnote_feedback.app import create_app as feedback
    from footnote_http.openapi import describe
    from footnote_http.routes import routes_of
    from footnote_ingest.app import create_app as ingest
    from footnote_local.server import function_of
    from footnote_query.app import create_app as query
    from footnote_stats.app import create_app as stats

    factories = {"query": query, "ingest": ingest, "feedback": feedback, "stats": stats}
    routes = [route for name, make in factories.items() for route in routes_of(make()) if function_of(getattr(route, "path", "")) == name]
    return json.dumps(describe("Footnote", routes), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    FILE.write_text(render(), "utf-8")
