#include "cfaultyvfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// MARK: - What is armed

typedef struct {
    char marker[128]; // Empty: the place is free.
    int armed;
    faulty_operation operation;
    long ordinal, times;
    int code;
    long calls, failures;
    unsigned delay;
} fault;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[16];
/// Lets the untouched files of other tests pass without the lock.
static atomic_int used;

static fault *find(const char *marker) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].marker[0] && strcmp(faults[i].marker, marker) == 0) return &faults[i];
    return NULL;
}

static fault *find_or_make(const char *marker) {
    fault *f = find(marker);
    if (f || strlen(marker) >= sizeof f->marker || !marker[0]) return f;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (!faults[i].marker[0]) {
            f = &faults[i];
            memset(f, 0, sizeof *f);
            strcpy(f->marker, marker);
            atomic_fetch_add(&used, 1);
            return f;
        }
    return NULL;
}

int faulty_arm(const char *marker, faulty_operation operation, long ordinal, long times, int code) {
    pthread_mutex_lock(&lock);
    fault *f = find_or_make(marker);
    if (f) {
        f->armed = 1;
        f->operation = operation;
        f->ordinal = ordinal;
        f->times = times;
        f->code = code;
        f->calls = f->failures = 0;
    }
    pthread_mutex_unlock(&lock);
    return f != NULL;
}

int faulty_delay(const char *marker, unsigned microseconds) {
    pthread_mutex_lock(&lock);
    fault *f = find_or_make(marker);
    if (f) f->delay = microseconds;
    pthread_mutex_unlock(&lock);
    return f != NULL;
}

void faulty_disarm(const char *marker) {
    pthread_mutex_lock(&lock);
    fault *f = find(marker);
    if (f) {
        f->marker[0] = 0;
        atomic_fetch_sub(&used, 1);
    }
    pthread_mutex_unlock(&lock);
}

static long read_counter(const char *marker, int failures) {
    pthread_mutex_lock(&lock);
    fault *f = find(marker);
    long value = f ? (failures ? f->failures : f->calls) : 0;
    pthread_mutex_unlock(&lock);
    return value;
}

long faulty_calls(const char *marker) { return read_counter(marker, 0); }
long faulty_failures(const char *marker) { return read_counter(marker, 1); }

/// The code this call must answer, or SQLITE_OK to let it pass.
static int judge(const char *path, faulty_operation operation) {
    if (!path || atomic_load(&used) == 0) return SQLITE_OK;
    int code = SQLITE_OK;
    unsigned delay = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        fault *f = &faults[i];
        if (!f->marker[0] || !strstr(path, f->marker)) continue;
        if (operation == FAULTY_SYNC) delay = f->delay;
        if (f->armed && f->operation == operation) {
            f->calls++;
            if (f->calls >= f->ordinal && f->calls - f->ordinal < f->times) {
                f->failures++;
                code = f->code;
            }
        }
        break;
    }
    pthread_mutex_unlock(&lock);
    if (delay) usleep(delay);
    return code;
}

// MARK: - Files

typedef struct {
    sqlite3_file base;
    const char *path; // SQLite keeps it until xClose; NULL for temporary files.
    sqlite3_file *real;
} file;

#define REAL(f) (((file *)(f))->real)
#define PATH(f) (((file *)(f))->path)

static int fault_close(sqlite3_file *f) {
    int code = REAL(f)->pMethods->xClose(REAL(f));
    f->pMethods = NULL;
    return code;
}

static int fault_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
    return REAL(f)->pMethods->xRead(REAL(f), bytes, count, offset);
}

static int fault_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    int code = judge(PATH(f), FAULTY_WRITE);
    if (code != SQLITE_OK) {
        if (count > 1) REAL(f)->pMethods->xWrite(REAL(f), bytes, count / 2, offset);
        return code;
    }
    return REAL(f)->pMethods->xWrite(REAL(f), bytes, count, offset);
}

static int fault_truncate(sqlite3_file *f, sqlite3_int64 size) { return REAL(f)->pMethods->xTruncate(REAL(f), size); }

static int fault_sync(sqlite3_file *f, int flags) {
    int code = judge(PATH(f), FAULTY_SYNC);
    return code != SQLITE_OK ? code : REAL(f)->pMethods->xSync(REAL(f), flags);
}

static int fault_size(sqlite3_file *f, sqlite3_int64 *size) { return REAL(f)->pMethods->xFileSize(REAL(f), size); }

static int fault_lock(sqlite3_file *f, int level) {
    int code = judge(PATH(f), FAULTY_LOCK);
    return code != SQLITE_OK ? code : REAL(f)->pMethods->xLock(REAL(f), level);
}

static int fault_unlock(sqlite3_file *f, int level) { return REAL(f)->pMethods->xUnlock(REAL(f), level); }
static int fault_reserved(sqlite3_file *f, int *held) { return REAL(f)->pMethods->xCheckReservedLock(REAL(f), held); }
static int fault_control(sqlite3_file *f, int what, void *value) { return REAL(f)->pMethods->xFileControl(REAL(f), what, value); }
static int fault_sector(sqlite3_file *f) { return REAL(f)->pMethods->xSectorSize(REAL(f)); }
static int fault_device(sqlite3_file *f) { return REAL(f)->pMethods->xDeviceCharacteristics(REAL(f)); }

static int fault_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **memory) {
    return REAL(f)->pMethods->xShmMap(REAL(f), region, size, extend, memory);
}

static int fault_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
    // A lock is always given back: SQLite does not look at the answer to that. Number 0 is the writer's (walformat.html, 2.3.1).
    int code = flags & SQLITE_SHM_LOCK ? judge(PATH(f), offset == 0 ? FAULTY_WRITER_LOCK : FAULTY_SHM_LOCK) : SQLITE_OK;
    return code != SQLITE_OK ? code : REAL(f)->pMethods->xShmLock(REAL(f), offset, count, flags);
}

static void fault_shm_barrier(sqlite3_file *f) { REAL(f)->pMethods->xShmBarrier(REAL(f)); }
static int fault_shm_unmap(sqlite3_file *f, int delete) { return REAL(f)->pMethods->xShmUnmap(REAL(f), delete); }

/// Version 2: shared memory for the log, but no memory-mapped reads, which would pass us by.
static const sqlite3_io_methods methods = {
    2,           fault_close,    fault_read,     fault_write,   fault_truncate, fault_sync,   fault_size,        fault_lock,
    fault_unlock, fault_reserved, fault_control, fault_sector,  fault_device,   fault_shm_map, fault_shm_lock,   fault_shm_barrier,
    fault_shm_unmap,
};

// MARK: - The file system

static sqlite3_vfs vfs;
static sqlite3_vfs *real;

static int fault_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *out) {
    (void)v;
    file *own = (file *)f;
    memset(own, 0, (size_t)vfs.szOsFile);
    own->path = path;
    own->real = (sqlite3_file *)(own + 1);
    int code = real->xOpen(real, path, own->real, flags, out);
    f->pMethods = own->real->pMethods ? &methods : NULL;
    return code;
}

static int registered;

static void register_once(void) {
    real = sqlite3_vfs_find(NULL);
    if (!real) {
        registered = SQLITE_ERROR;
        return;
    }
    // All but opening is the real one's.
    vfs = *real;
    vfs.zName = "faulty";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(file) + real->szOsFile;
    vfs.xOpen = fault_open;
    registered = sqlite3_vfs_register(&vfs, 1);
}

int faulty_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registered;
}
