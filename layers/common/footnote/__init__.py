"""Footnote's core: it knows neither HTTP nor Lambda nor a terminal. Read `pipeline.py` first.

A question passes through the packages in one direction; each package answers one question of its own.

    guard/        may this be asked?            identity, limits, budget, input_guard, forbidden_words, terms, audit
    understand/   what is asked?                language, rewrite, reformulate
    retrieve/     where might answers be?       search, remote, fuse
    rank/         which evidence is best?       select
    answer/       what do we say?               context, generate, extract, faq, converse, agent, vision, citation_styles, assess
    memory/       what lasts between turns?     conversations, withdrawn, stored_turn, search_cache, answer_cache
    learn/        what do turns teach?          feedback, stats, questions, ranking_metrics, golden
    telemetry/    who is informed of a turn?    metrics, announcements
    ingest/       document → index              pipeline, accept, parse/, child, chunk, pieces, vectors
    text/         what is in a text?            language, tokens, sentences, grounding, references, agreement, injection, fences

    types errors events         what flows, what fails, what is said
    turn_records/               the stored form of a turn: made, read, counted, made a turn again
    ports settings tracing      what is needed from outside, what can be set, what is logged
    live_settings               what an admin has set since
    prompts steps               templates; the runner of a table of steps
    model_calls checkpoints     calls of a model with a typed reply; paid work of a request that is kept and replayed
    pipeline                    the tables: the order of a turn
    adapters/<engine>/<port>     what implements the ports
    bootstrap                   settings → adapters → pipeline: the only place that chooses

Imports run from the last line of this page to the first, never between packages of the turn.
"""
