"""`POST /mcp`: tools for clients that speak MCP."""
