"""Tools of an MCP server."""

from pydantic import SecretStr

from footnote.settings.marks import Group, setting


class MCP(Group):
    """Tools for the planning agent, and a search of its own."""

    mcp_enabled: bool = setting(False, description="Let `pa` call the tools of `MCP__GATEWAY`, and `rag` its search.")
    gateway: str | None = setting(None, description="URL of an MCP server (streamable HTTP).", https=True)
    search_tool: str = setting("neural_search", description="The tool there that searches documents, where there is one.")
    token: SecretStr | None = setting(None, description="Bearer token for it. No user's token is ever passed on.", foreign=True)
    rounds: int = setting(5, ge=1, le=20, description="Most rounds of tool calls in one answer.", changeable=True)
    limit_s: float = setting(20, gt=0, description="Longest wait for a tool, in seconds.", changeable=True)
