#ifndef KEEPSAKE_CPAGECLEARING_H
#define KEEPSAKE_CPAGECLEARING_H

/// SQLite's own file system with two additions. When a checkpoint writes a b-tree page, the bytes that the page does not use are zeroed. And
/// a write that exceeds a disk quota fails with SQLITE_FULL, as one on a full disk does.
///
/// `secure_delete` overwrites a row in its page. It does not overwrite the copy that remains when SQLite moves the row to another page to
/// balance a b-tree: that copy stays in the unused middle of the old page, between the cell pointers and the cells. SQLite never reads
/// these bytes, so it does not notice the zeros.
///
/// Pages are cleared only for connections that call `clearing_enable`. All functions may be called from any thread; those that take a
/// connection follow SQLite's own threading rules.

struct sqlite3;

/// Registers this file system in front of the process's default one; later calls do nothing. Returns an SQLite code.
int clearing_register(void);

/// From now on, checkpoints of this connection clear the pages they write. Returns an SQLite code: SQLITE_NOTFOUND for a connection
/// that was opened before `clearing_register`.
int clearing_enable(struct sqlite3 *connection);

typedef struct {
    /// In: the first page, from 0. Out: the next page to continue with; -1 at the end of the file.
    long long page;
    /// In: maximum number of pages to read.
    int count;
    /// Out: number of pages whose unused bytes were not zero.
    int cleared;
} clearing_step;

/// Clears pages in the file, for data that was written before `clearing_enable`. Blocks checkpoints meanwhile, and nothing else, so use
/// small steps. The connection must have read from the database, which must use a write-ahead log.
/// Returns an SQLite code: SQLITE_BUSY while a checkpoint is running.
int clearing_sweep(struct sqlite3 *connection, clearing_step *step);

/// Makes what `clearing_sweep` wrote durable. Returns an SQLite code.
int clearing_sync(struct sqlite3 *connection);

#endif
