#ifndef KEEPSAKE_CSQLITEOPTIONS_H
#define KEEPSAKE_CSQLITEOPTIONS_H

/// Options of SQLite connections that Swift cannot set, because `sqlite3_db_config` takes a variable number of arguments.

struct sqlite3;

/// From now on, a statement's plan does not depend on the values that are bound to it (SQLITE_DBCONFIG_ENABLE_QPSG).
///
/// Otherwise SQLite parses and plans a prepared statement again at every run, if a bound value could make a partial index usable: with an
/// index `WHERE kind = 'event'`, every statement that contains `kind = ?` is prepared again at every run. With this option, only a statement
/// that has the value in its text uses such an index.
/// An SQLite that does not know the option, before 3.20, ignores it.
void sqlite_options_keep_plans(struct sqlite3 *connection);

#endif
