"""How many files does something new need? Each case is laid over a copy of the project, as CONTRIBUTING.md says it is added.

A case is a folder: `new/` holds files as they lie in the project, `edits.toml` what changes in others:

    [[edit]]
    file = "layers/common/footnote/pipeline.py"
    old = "text that stands there once"
    new = "what stands there instead"

What is made from code (the page of settings, the OpenAPI document, the drawing of a turn) is made anew. Every file that is new
or has changed then is counted, but for tests: how many of those there are hangs on what the new thing does.
"""
