"""How many files does something new need? Each case is laid over a copy of the project, as CONTRIBUTING.md says it is added.

A case is a folder: `new/` holds files as they lie in the project, `edits.toml` what changes in others:

    [[edit]]
    file = "layers/common/footnote/pipeline.py"
    old = "text that stands there once"
    new = "what stands there instead"

What is generated from code (the page of settings, the OpenAPI document, the drawings) is generated again. Then every file that is
new or has changed is counted, except tests: how many of those there are depends on what the new thing does.
"""
