"""Measures how many files an extension needs. Each case is applied to a copy of the project, following CONTRIBUTING.md.

A case is a folder: `new/` holds files at their paths in the project, `edits.toml` the changes of others:

    [[edit]]
    file = "layers/common/footnote/pipeline/search.py"
    old = "text that occurs once"
    new = "its replacement"

Generated files (the settings page, the OpenAPI document, the drawings) are generated again. Then every new or changed file is
counted, except tests, whose number depends on the extension.
"""
