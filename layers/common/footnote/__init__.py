"""Footnote's core. It is independent of HTTP, Lambda and the terminal. Read `pipeline.py` first.

A question passes through the packages in one direction; each package answers one question of its own.

    guard/        may this be asked?            identity, limits, budget, input_guard, forbidden_words, terms, audit
    understand/   what is asked?                language, rewrite, reformulate
    retrieve/     where might answers be?       search, remote, fuse
    rank/         which evidence is best?       select
    answer/       what do we say?               context, generate, extract, faq, converse, agent, vision, citation_styles, assess
    memory/       what is kept between turns?   conversations, withdrawn, stored_turn, search_cache, answer_cache
    learn/        what do turns teach?          feedback, stats, questions, ranking_metrics, golden
    telemetry/    who is informed of a turn?    metrics, announcements
    ingest/       document → index              pipeline, accept, parse/, child, chunk, pieces, vectors
    text/         what is in a text?            language, tokens, sentences, grounding, references, agreement, injection, fences

    types errors events         data, the error hierarchy, the events of a running turn
    turn_records/               the stored form of a turn: made, read and restored
    ports settings tracing      interfaces of backends; configuration; trace ids and logs
    live_settings               settings changed by an admin at run time
    prompts steps               templates; the runner of step tables
    model_calls checkpoints     model calls with a typed reply; paid work of a request, stored and replayed
    pipeline                    the step tables: the order of a turn
    adapters/<engine>/<port>    implementations of the ports
    bootstrap                   the composition root: settings → adapters → pipeline

Imports run from the last line of this list to the first, never between packages of the turn.
"""
