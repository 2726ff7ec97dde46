#include "cpassthroughvfs.h"

#include <string.h>

#define REAL(f) (((passthrough_file *)(f))->real)
#define METHODS(f) (REAL(f)->pMethods)

static int pass_close(sqlite3_file *f) {
    int code = METHODS(f)->xClose(REAL(f));
    f->pMethods = NULL;
    return code;
}

static int pass_read(sqlite3_file *f, void *bytes, int count, sqlite3_int64 offset) {
    return METHODS(f)->xRead(REAL(f), bytes, count, offset);
}

static int pass_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    return METHODS(f)->xWrite(REAL(f), bytes, count, offset);
}

static int pass_truncate(sqlite3_file *f, sqlite3_int64 size) { return METHODS(f)->xTruncate(REAL(f), size); }
static int pass_sync(sqlite3_file *f, int flags) { return METHODS(f)->xSync(REAL(f), flags); }
static int pass_size(sqlite3_file *f, sqlite3_int64 *size) { return METHODS(f)->xFileSize(REAL(f), size); }
static int pass_lock(sqlite3_file *f, int level) { return METHODS(f)->xLock(REAL(f), level); }
static int pass_unlock(sqlite3_file *f, int level) { return METHODS(f)->xUnlock(REAL(f), level); }
static int pass_reserved(sqlite3_file *f, int *held) { return METHODS(f)->xCheckReservedLock(REAL(f), held); }
static int pass_control(sqlite3_file *f, int what, void *value) { return METHODS(f)->xFileControl(REAL(f), what, value); }
static int pass_sector(sqlite3_file *f) { return METHODS(f)->xSectorSize(REAL(f)); }
static int pass_device(sqlite3_file *f) { return METHODS(f)->xDeviceCharacteristics(REAL(f)); }

static int pass_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **memory) {
    return METHODS(f)->xShmMap(REAL(f), region, size, extend, memory);
}

static int pass_shm_lock(sqlite3_file *f, int offset, int count, int flags) {
    return METHODS(f)->xShmLock(REAL(f), offset, count, flags);
}

static void pass_shm_barrier(sqlite3_file *f) { METHODS(f)->xShmBarrier(REAL(f)); }
static int pass_shm_unmap(sqlite3_file *f, int delete) { return METHODS(f)->xShmUnmap(REAL(f), delete); }

const sqlite3_io_methods passthrough_methods = {
    2,           pass_close,    pass_read,    pass_write,  pass_truncate, pass_sync,    pass_size,     pass_lock,
    pass_unlock, pass_reserved, pass_control, pass_sector, pass_device,   pass_shm_map, pass_shm_lock, pass_shm_barrier,
    pass_shm_unmap,
};

static int pass_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *out) {
    passthrough_vfs *vfs = (passthrough_vfs *)v;
    passthrough_file *file = (passthrough_file *)f;
    memset(file, 0, (size_t)v->szOsFile);
    file->real = (sqlite3_file *)((char *)f + vfs->file_size);
    if (vfs->prepare) vfs->prepare(file, path, flags);
    int code = vfs->real->xOpen(vfs->real, path, file->real, flags, out);
    // SQLite closes a file whose methods are set, even when opening it has failed.
    f->pMethods = file->real->pMethods ? &vfs->methods : NULL;
    return code;
}

int passthrough_register(passthrough_vfs *vfs, const char *name) {
    vfs->real = sqlite3_vfs_find(NULL);
    if (!vfs->real) return SQLITE_ERROR;
    // Everything but opening files is delegated to the real VFS.
    vfs->base = *vfs->real;
    vfs->base.zName = name;
    vfs->base.pNext = NULL;
    vfs->base.szOsFile = vfs->file_size + vfs->real->szOsFile;
    vfs->base.xOpen = pass_open;
    return sqlite3_vfs_register(&vfs->base, 1);
}
