-- Child sessions.

ALTER TABLE sessions ADD COLUMN parent TEXT NOT NULL DEFAULT ''; -- the id of the session that started it, which may be gone

CREATE INDEX sessions_by_parent ON sessions (parent, updated, id);
