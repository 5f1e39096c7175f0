"""Footnote's core: it knows neither HTTP nor Lambda nor a terminal. Read `pipeline.py` first.

A question walks through the rooms in one direction; each room answers one question of its own.

    guard/        may this be asked?            input_guard
    understand/   what is asked?                language
    retrieve/     where might answers be?       search, fuse
    rank/         which evidence is best?       select
    answer/       what do we say?               context, generate, extract, citation_styles, messages
    memory/       what lasts between turns?     conversations
    learn/        what do turns teach?          feedback, stats, questions, ranking_metrics, golden
    ingest/       document → index              pipeline, accept, parse/, child, chunk, pieces, vectors
    text/         what is in a text?            language, tokens, sentences, grounding, answer_types

    types errors events         what flows, what fails, what is said
    ports settings tracing      what is needed from outside, what can be set, what is logged
    prompts steps               templates; the runner of a table of steps
    pipeline                    the tables: the order of a turn
    adapters/<port>_<backend>   the outside, one backend a file
    bootstrap                   settings → adapters → pipeline: the only place that chooses

Imports run from the last line of this page to the first, never between rooms.
"""
