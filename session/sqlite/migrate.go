package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

// migrations holds the steps from each version of the schema to the next. A
// file's place in the order of names is the version it leads to. A released one
// is never changed.
//
//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks a database file as ours: "QRRY".
const applicationID = 0x51525259

// migrate brings the schema up to date and tells how many steps that took. The
// version is the file's user_version; the file's lock keeps two processes from
// migrating at once.
func migrate(ctx context.Context, conn *sql.Conn) (steps int, err error) {
	names := migrationNames()
	if version, err := schemaVersion(ctx, conn); err != nil || version == len(names) {
		return 0, err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return 0, err
	}
	// Another process may have come first.
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return 0, err
	}
	for _, name := range names[version:] {
		script, err := migrations.ReadFile(name)
		if err != nil {
			return 0, err
		}
		if _, err := conn.ExecContext(ctx, string(script)); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", applicationID, len(names))
	if _, err := conn.ExecContext(ctx, mark); err != nil {
		return 0, err
	}
	return len(names) - version, nil
}

// migrationNames returns the names of the steps in their order.
func migrationNames() []string {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	return names
}

// schemaVersion returns the version of the file's schema, 0 for an empty file.
// A file that this package cannot use is a *Error.
func schemaVersion(ctx context.Context, conn *sql.Conn) (int, error) {
	newest := len(migrationNames())
	var version, application, objects int
	err := conn.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)").
		Scan(&version, &application, &objects)
	switch {
	case err != nil:
		return 0, err
	case application != applicationID && (application != 0 || version != 0 || objects != 0):
		return 0, &Error{Problem: "it is the database of another program", Hint: "give the path of another file"}
	case version > newest:
		return 0, &Error{
			Problem: fmt.Sprintf("its schema has version %d and this quarry knows up to %d", version, newest),
			Hint:    "use a newer quarry, or give the path of another file",
		}
	}
	return version, nil
}
