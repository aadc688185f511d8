-- compatible-from: 13
-- Reading lists from a replica.

-- One row that a program with a replica renews every second. The replica's copy of it tells how old the replica is.
-- at is in Unix milliseconds, by the clock of the database server.
CREATE TABLE heartbeats (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
