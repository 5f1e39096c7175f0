"""What stands in for AWS on one machine: the server, the worker, the command line."""
