-- Forks and labels.

ALTER TABLE sessions ADD COLUMN labels      TEXT    NOT NULL DEFAULT '{}'; -- as JSON, as in the table labels
ALTER TABLE sessions ADD COLUMN forked_from TEXT    NOT NULL DEFAULT '';   -- the id of the session it left, which may be gone
ALTER TABLE sessions ADD COLUMN forked_at   INTEGER NOT NULL DEFAULT 0;    -- the last record that both have; 0 where it is no fork

-- One row per part of a fork's prefix: its records up to last, from where the
-- part before it ends, are those of another session's number. That session may
-- be deleted: then its records stay, for as long as a row here names them, and
-- records.session is the number of no session.
CREATE TABLE prefixes (
  session INTEGER NOT NULL, -- the fork
  last    INTEGER NOT NULL,
  journal INTEGER NOT NULL, -- the number under which the records are
  PRIMARY KEY (session, last)
) STRICT, WITHOUT ROWID;

CREATE INDEX prefixes_by_journal ON prefixes (journal, last);

-- One row per label of a session.
CREATE TABLE labels (
  key     TEXT    NOT NULL,
  value   TEXT    NOT NULL,
  session INTEGER NOT NULL,
  PRIMARY KEY (key, value, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX labels_by_session ON labels (session);

-- The labels of the sessions that are there are in their first records. Those of
-- a record that is damaged are left out.
INSERT INTO labels (key, value, session)
SELECT l.key, l.value, r.session
FROM records r, json_each(CASE WHEN json_valid(r.data) THEN r.data ELSE '{}' END, '$.labels') l
WHERE r.seq = 1 AND r.kind = 'started' AND l.type = 'text' AND typeof(l.key) = 'text';

UPDATE sessions SET labels = (SELECT json_extract(data, '$.labels') FROM records WHERE session = number AND seq = 1)
WHERE number IN (SELECT session FROM labels)
  AND NOT EXISTS (SELECT 1 FROM records r, json_each(r.data, '$.labels') l WHERE r.session = number AND r.seq = 1 AND l.type != 'text');
