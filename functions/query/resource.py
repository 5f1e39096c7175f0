"""Where a client that was turned away gets a token: RFC 9728, as MCP clients look it up."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote_http.callers import METADATA, CoreOf, Origin
from footnote_http.openapi import problems
from footnote_http.routes import Router

MISSING = problems({404: "No identity provider makes the tokens: `AUTH__MODE` is not jwt"})
router = Router("Sign-in", responses=MISSING)


class ProtectedResource(BaseModel):
    resource: str = Field(description="What the tokens are for: this server, or its MCP endpoint.")
    authorization_servers: list[str] = Field(description="Issuers whose tokens are accepted; `AUTH__ISSUER`.")
    bearer_methods_supported: list[str]
    resource_name: str


@router.get(METADATA, name="protected_resource")
async def protected_resource(core: CoreOf, origin: Origin) -> ProtectedResource:
    """Who makes the tokens that this server accepts (RFC 9728)."""
    issuer = core.settings.auth.issuer
    if core.settings.auth.mode != "jwt" or issuer is None:
        raise NotFound("There is no identity provider to ask for a token: AUTH__MODE is not jwt.")
    return ProtectedResource(resource=origin, authorization_servers=[issuer], bearer_methods_supported=["header"], resource_name="Footnote")


@router.get(f"{METADATA}/mcp", name="protected_mcp")
async def protected_mcp(core: CoreOf, origin: Origin) -> ProtectedResource:
    """The same of the MCP server."""
    found = await protected_resource(core, origin)
    return found.model_copy(update={"resource": f"{origin}/mcp"})
