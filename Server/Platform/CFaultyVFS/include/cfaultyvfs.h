#ifndef KEEPSAKE_CFAULTYVFS_H
#define KEEPSAKE_CFAULTYVFS_H

/// A file system for SQLite that fails on demand, for tests: it injects faults into calls to SQLite's own file system.
///
/// It becomes the process's default, and does not affect files whose path contains no armed marker.
/// All functions may be called from any thread.

typedef enum {
    FAULTY_WRITE,       ///< xWrite: frames of the log, pages of a checkpoint.
    FAULTY_SYNC,        ///< xSync.
    FAULTY_LOCK,        ///< xLock: locks on the file itself.
    FAULTY_SHM_LOCK,    ///< xShmLock that takes a lock: the log's readers, recovery, checkpoint.
    FAULTY_WRITER_LOCK, ///< xShmLock that takes the log's one lock for writing.
} faulty_operation;

/// Registers the failing file system in front of the default one; later calls do nothing. Returns an SQLite code.
int faulty_register(void);

/// From now on, counts the calls of `operation` on files whose path contains `marker`. Calls number `ordinal` … `ordinal + times - 1`
/// (counted from 1) fail with `code` and do nothing; only a failing write still writes its first half, as on a full disk. Replaces an
/// earlier fault for the marker. Returns 0 when 16 markers are in use already.
int faulty_arm(const char *marker, faulty_operation operation, long ordinal, long times, int code);

/// Delays every sync of the marker's files by this much, 0 or more. Independent of `faulty_arm`.
int faulty_delay(const char *marker, unsigned microseconds);

/// The number of calls that were counted, or that failed, since the marker was armed.
long faulty_calls(const char *marker);
long faulty_failures(const char *marker);

/// Removes the marker's fault and delay.
void faulty_disarm(const char *marker);

#endif
