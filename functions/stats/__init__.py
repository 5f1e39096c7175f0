"""How much is asked, and how well it goes."""
