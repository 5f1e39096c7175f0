"""May this be asked? Authentication, limits, budgets, forbidden terms and the audit log."""
