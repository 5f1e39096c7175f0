"""Questions in, cited answers out, and the page."""
