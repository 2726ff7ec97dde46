#ifndef KEEPSAKE_CPASSTHROUGHVFS_H
#define KEEPSAKE_CPASSTHROUGHVFS_H

#include <sqlite3.h>

/// A file system for SQLite (a "VFS") that passes every call to the process's default one. A VFS that changes some calls builds on it, such
/// as `CPageClearing` and `CFaultyVFS`.

/// An open file. A VFS's own file type begins with this struct.
typedef struct {
    sqlite3_file base;
    /// The file of the underlying VFS.
    sqlite3_file *real;
} passthrough_file;

typedef struct {
    sqlite3_vfs base;
    /// The underlying VFS; set by `passthrough_register`.
    sqlite3_vfs *real;
    /// The methods for files of this VFS: `passthrough_methods`, with some of them replaced by the VFS's own functions.
    sqlite3_io_methods methods;
    /// Size of the VFS's own file type in bytes.
    int file_size;
    /// May be NULL. Fills in the VFS's own fields, which are 0, before the underlying file is opened. `path` is NULL for a temporary file;
    /// SQLite keeps it until the file is closed. `flags`: SQLITE_OPEN_….
    void (*prepare)(passthrough_file *file, const char *path, int flags);
} passthrough_vfs;

/// Methods that call the same method of the underlying file. Version 2: shared memory for the log, but no memory-mapped access, which would
/// bypass this VFS.
extern const sqlite3_io_methods passthrough_methods;

/// Registers `vfs`, whose `methods`, `file_size` and `prepare` are set, in front of the process's default VFS and makes it the default.
/// Call it once for each `vfs`. Returns an SQLite code.
int passthrough_register(passthrough_vfs *vfs, const char *name);

#endif
