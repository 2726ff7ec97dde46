#ifndef KEEPSAKE_CPAGECLEARING_H
#define KEEPSAKE_CPAGECLEARING_H

/// SQLite's own file system with one addition: a checkpoint writes a page of a tree without the bytes that the page does not use.
///
/// `secure_delete` overwrites a row where it lies. It does not reach the copy that stays behind when SQLite moves the row to another
/// page to balance a tree: that copy lies in the unused middle of the old page, between the list of its cells and the cells themselves.
/// Nobody reads these bytes, so zeros in their place change nothing for SQLite.
///
/// Only connections that ask for it by `clearing_enable` are changed. All functions may be called from any thread, those that take a
/// connection as SQLite's own.

struct sqlite3;

/// Puts this file system in front of the process's default one; later calls do nothing. Returns an SQLite code.
int clearing_register(void);

/// From now on, checkpoints of this connection clear the pages they write. Returns an SQLite code: SQLITE_NOTFOUND for a connection
/// that was opened before `clearing_register`.
int clearing_enable(struct sqlite3 *connection);

typedef struct {
    /// In: where to begin, from 0. Out: where to go on; -1 at the end of the file.
    long long page;
    /// In: pages to read at most.
    int count;
    /// Out: pages that held something in their unused bytes.
    int cleared;
} clearing_step;

/// Clears pages in the file itself, for what was written before `clearing_enable`. Holds off checkpoints meanwhile, and nobody else:
/// take small steps. The connection must have read from the database, which must have a write-ahead log.
/// Returns an SQLite code: SQLITE_BUSY while a checkpoint is running.
int clearing_sweep(struct sqlite3 *connection, clearing_step *step);

/// Makes what `clearing_sweep` wrote durable. Returns an SQLite code.
int clearing_sync(struct sqlite3 *connection);

#endif
