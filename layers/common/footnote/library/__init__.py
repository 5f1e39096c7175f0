"""How does a program use a folder of documents without a server? `footnote.open`, and the worker that server and commands share."""
