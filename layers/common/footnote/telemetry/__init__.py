"""Who is informed of a turn? Monitoring, by metrics and a line of the log; other systems, by events on a bus."""
