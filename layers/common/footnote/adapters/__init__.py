"""What implements the ports: one package per engine or protocol, in it one file per port.

A port's file has the name of the port (`sqlite/ledger_store.py` is `ports.LedgerStore` on SQLite); further files of the same port begin
with it (`sqlite/index_writes.py`). What belongs to the engine and to no port has a name of its own (`sqlite/database.py`).
An engine's errors become those of `errors.py` here. `shared` and `resilience` serve all engines.
"""
