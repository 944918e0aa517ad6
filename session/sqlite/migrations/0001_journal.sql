-- The journal of format 1. Times are nanoseconds since 1970, UTC.

-- One row per session: what session.Info tells, kept up to date by each append.
CREATE TABLE sessions (
  number     INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice, so that a session that was deleted and made again is another
  id         TEXT    NOT NULL UNIQUE,
  agent      TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  subtype    TEXT    NOT NULL,
  created    INTEGER NOT NULL,
  updated    INTEGER NOT NULL,
  last       INTEGER NOT NULL, -- the last record's seq
  prompt     TEXT    NOT NULL,
  turns      INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  usage      TEXT    NOT NULL  -- model.Usage as JSON
) STRICT;

CREATE INDEX sessions_by_update ON sessions (updated, id);

-- One row per record, never changed.
CREATE TABLE records (
  session INTEGER NOT NULL REFERENCES sessions (number),
  seq     INTEGER NOT NULL,
  time    INTEGER NOT NULL,
  kind    TEXT    NOT NULL,
  data    TEXT    NOT NULL, -- the event as JSON
  PRIMARY KEY (session, seq)
) STRICT;
