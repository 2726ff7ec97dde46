#ifndef KEEPSAKE_CPASSTHROUGHVFS_H
#define KEEPSAKE_CPASSTHROUGHVFS_H

#include <sqlite3.h>

/// A file system for SQLite (a "VFS") in front of the process's default one, which passes every call through. A VFS that changes some
/// calls starts from it: `CPageClearing` and `CFaultyVFS` do.

/// An open file. A VFS's own type of file begins with it.
typedef struct {
    sqlite3_file base;
    /// The file of the VFS behind.
    sqlite3_file *real;
} passthrough_file;

typedef struct {
    sqlite3_vfs base;
    /// The VFS behind; set by `passthrough_register`.
    sqlite3_vfs *real;
    /// What to call for files of this VFS: `passthrough_methods`, with the VFS's own functions in place of some.
    sqlite3_io_methods methods;
    /// Bytes of the VFS's own type of file.
    int file_size;
    /// May be NULL. Fills in the VFS's own fields, which are 0, before the file behind is opened. `path` is NULL for a temporary file;
    /// SQLite keeps it until the file is closed. `flags`: SQLITE_OPEN_….
    void (*prepare)(passthrough_file *file, const char *path, int flags);
} passthrough_vfs;

/// Calls the same method of the file behind. Version 2: shared memory for the log, but no memory-mapped access, which would not be seen
/// here.
extern const sqlite3_io_methods passthrough_methods;

/// Puts `vfs`, whose `methods`, `file_size` and `prepare` are set, in front of the process's default VFS and makes it the default. Once for
/// each `vfs`. Returns an SQLite code.
int passthrough_register(passthrough_vfs *vfs, const char *name);

#endif
