"""Failures of engines, models, processes and clients."""
