#include "cfaultyvfs.h"
#include "cpassthroughvfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// MARK: - Armed faults

typedef struct {
    char marker[128]; // Empty: the slot is free.
    int armed;
    faulty_operation operation;
    long ordinal, times;
    int code;
    long calls, failures;
    unsigned delay;
} fault;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fault faults[16];
/// While it is 0, calls skip the lock, so that other tests are not slowed down.
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

/// Returns the code that this call must fail with, or SQLITE_OK to let it pass.
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
    passthrough_file base;
    const char *path; // SQLite keeps it until xClose; NULL for temporary files.
} file;

#define PATH(f) (((file *)(f))->path)

static int fault_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    int code = judge(PATH(f), FAULTY_WRITE);
    if (code != SQLITE_OK) {
        if (count > 1) passthrough_methods.xWrite(f, bytes, count / 2, offset);
        return code;
    }
    return passthrough_methods.xWrite(f, bytes, count, offset);
}

static int fault_sync(sqlite3_file *f, int flags) {
    int code = judge(PATH(f), FAULTY_SYNC);
    return code != SQLITE_OK ? code : passthrough_methods.xSync(f, flags);
}

static int fault_lock(sqlite3_file *f, int level) {
    int code = judge(PATH(f), FAULTY_LOCK);
    return code != SQLITE_OK ? code : passthrough_methods.xLock(f, level);
}

static int fault_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
    // Unlocking never fails: SQLite ignores its result. Lock number 0 is the writer's (walformat.html, 2.3.1).
    int code = flags & SQLITE_SHM_LOCK ? judge(PATH(f), offset == 0 ? FAULTY_WRITER_LOCK : FAULTY_SHM_LOCK) : SQLITE_OK;
    return code != SQLITE_OK ? code : passthrough_methods.xShmLock(f, offset, count, flags);
}

// MARK: - The file system

static void prepare(passthrough_file *f, const char *path, int flags) {
    (void)flags;
    ((file *)f)->path = path;
}

static passthrough_vfs vfs;
static int registered;

static void register_once(void) {
    vfs.file_size = sizeof(file);
    vfs.prepare = prepare;
    vfs.methods = passthrough_methods;
    vfs.methods.xWrite = fault_write;
    vfs.methods.xSync = fault_sync;
    vfs.methods.xLock = fault_lock;
    vfs.methods.xShmLock = fault_shm_lock;
    registered = passthrough_register(&vfs, "faulty");
}

int faulty_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registered;
}
