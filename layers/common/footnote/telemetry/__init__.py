"""Who is informed of a turn? Monitoring, through metrics and a log line; other systems, through events on a bus."""
