"""Footnote's core: it knows neither HTTP nor Lambda nor a terminal. Read `pipeline.py` first.

A question walks through the rooms in one direction; each room answers one question of its own.

    guard/        may this be asked?            identity, limits, budget, input_guard, forbidden_words, terms, audit
    understand/   what is asked?                language, rewrite, reformulate
    retrieve/     where might answers be?       search, remote, fuse
    rank/         which evidence is best?       select
    answer/       what do we say?               context, generate, extract, faq, converse, agent, vision, citation_styles, assess
    memory/       what lasts between turns?     conversations, withdrawn, search_cache, answer_cache
    learn/        what do turns teach?          feedback, stats, announce, meter, questions, ranking_metrics, golden
    ingest/       document → index              pipeline, accept, parse/, child, chunk, pieces, vectors
    text/         what is in a text?            language, tokens, sentences, grounding, references, agreement, injection, fences

    types errors events         what flows, what fails, what is said
    ports settings tracing      what is needed from outside, what can be set, what is logged
    live_settings               what an admin has set since
    prompts steps completion    templates; the runner of a table of steps; a question to a model that is not the answer
    pipeline                    the tables: the order of a turn
    adapters/<engine>/<port>     what implements the ports
    bootstrap                   settings → adapters → pipeline: the only place that chooses

Imports run from the last line of this page to the first, never between rooms.
"""
