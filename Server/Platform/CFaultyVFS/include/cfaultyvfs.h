#ifndef KEEPSAKE_CFAULTYVFS_H
#define KEEPSAKE_CFAULTYVFS_H

/// A disk that fails on order, for tests: SQLite's own file system with faults in front of it.
///
/// It becomes the default of the process, and leaves every file alone whose path holds no armed marker.
/// All functions may be called from any thread.

typedef enum {
    FAULTY_WRITE,       ///< xWrite: frames of the log, pages of a checkpoint.
    FAULTY_SYNC,        ///< xSync.
    FAULTY_LOCK,        ///< xLock: locks on the file itself.
    FAULTY_SHM_LOCK,    ///< xShmLock that takes a lock: the log's readers, recovery, checkpoint.
    FAULTY_WRITER_LOCK, ///< xShmLock that takes the log's one lock for writing.
} faulty_operation;

/// Puts the failing file system in front of the default one; later calls do nothing. Returns an SQLite code.
int faulty_register(void);

/// From now on, counts the calls of `operation` on files whose path holds `marker`, and lets those numbered
/// `ordinal` … `ordinal + times - 1` (from 1) answer `code` without doing anything. A failing write leaves its first half behind,
/// as a full disk does. Replaces what was armed for the marker before. Returns 0 when there is no room (16 markers).
int faulty_arm(const char *marker, faulty_operation operation, long ordinal, long times, int code);

/// Every sync of the marker's files takes this much longer, from 0 on. Independent of `faulty_arm`.
int faulty_delay(const char *marker, unsigned microseconds);

/// How many calls were counted, or failed, since the marker was armed.
long faulty_calls(const char *marker);
long faulty_failures(const char *marker);

/// Leaves the marker's files alone again.
void faulty_disarm(const char *marker);

#endif
