"""What implements the ports: one package per engine or protocol, in it one file per port.

A port's file has the name of the port (`sqlite/ledger.py` is `ports.Ledger` on SQLite); further files of the same port begin with it
(`sqlite/ledger_writes.py`). What belongs to the engine and to no port has a name of its own (`sqlite/database.py`).
An engine's errors become those of `errors.py` here. `shared` and `resilience` serve all engines.
"""
