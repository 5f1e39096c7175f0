"""The page, the reference of the API, and the document that both read."""

from __future__ import annotations

from pathlib import Path

from fastapi.responses import FileResponse

from footnote_http.routes import Router

router = Router()
WEB = Path(__file__).parent / "web"
OPENAPI = Path(__file__).parent / "openapi.json"
HEADERS = {"cache-control": "no-cache"}


@router.get("/", include_in_schema=False)
async def page() -> FileResponse:
    return FileResponse(WEB / "index.html", headers=HEADERS)


@router.get("/docs", include_in_schema=False)
async def reference() -> FileResponse:
    return FileResponse(WEB / "reference.html", headers=HEADERS)


@router.get("/openapi.json", include_in_schema=False)
async def openapi() -> FileResponse:
    """Of all functions, as they are reached at one address: `footnote_local.openapi` writes it."""
    return FileResponse(OPENAPI, headers=HEADERS)
