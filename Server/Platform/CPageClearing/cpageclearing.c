#include "cpageclearing.h"
#include "cpassthroughvfs.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <string.h>

// MARK: - Pages

static int two_bytes(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

typedef int (*range_use)(void *context, int from, int to);

/// Calls `use` for each range of bytes that a b-tree page does not use (fileformat2.html, 1.6). Skips all other pages, and pages with an
/// invalid header. Stops at the first result that is not SQLITE_OK, and returns it.
static int each_unused(const unsigned char *page, int size, int is_first, range_use use, void *context) {
    // The first page begins with the file header.
    int header = is_first ? 100 : 0;
    int type = page[header];
    int is_leaf = type == 10 || type == 13;
    if (!is_leaf && type != 2 && type != 5) return SQLITE_OK;
    int pointers = header + (is_leaf ? 8 : 12);
    int cells = two_bytes(page + header + 3);
    int content = two_bytes(page + header + 5);
    if (content == 0) content = 65536;
    int gap = pointers + 2 * cells;
    if (gap > content || content > size) return SQLITE_OK;
    for (int cell = 0; cell < cells; cell++) {
        int place = two_bytes(page + pointers + 2 * cell);
        if (place < content || place >= size) return SQLITE_OK;
    }
    int first = two_bytes(page + header + 1);
    for (int block = first; block != 0;) {
        if (block < content || block + 4 > size) return SQLITE_OK;
        int next = two_bytes(page + block), length = two_bytes(page + block + 2);
        if (length < 4 || block + length > size || (next != 0 && next < block + length)) return SQLITE_OK;
        block = next;
    }
    int code = gap < content ? use(context, gap, content) : SQLITE_OK;
    // A free block begins with the offset of the next block and its own length.
    for (int block = first; block != 0 && code == SQLITE_OK; block = two_bytes(page + block)) {
        int length = two_bytes(page + block + 2);
        if (length > 4) code = use(context, block + 4, block + length);
    }
    return code;
}

/// An overflow page begins with the number of the next one. From this page number on, the first byte of that number may be 2, so the page
/// could look like a b-tree page. Databases with more pages (128 GB with 4 KB pages) are not cleared.
static const sqlite3_int64 page_limit = 0x02000000;

static const unsigned char zeros[65536];

// MARK: - Files

typedef struct {
    passthrough_file base;
    int is_database, is_enabled, is_checkpointing;
    /// Bytes; 0 while unknown.
    int page_size;
    /// Size of the file in bytes, including what SQLite has announced to write.
    sqlite3_int64 size;
    /// A copy of one page, which is cleared before it is written.
    unsigned char *copy;
} file;

enum { control_enable = 0x4B454550, control_sweep, control_sync };

static int clear_close(sqlite3_file *f) {
    file *own = (file *)f;
    sqlite3_free(own->copy);
    own->copy = NULL;
    return passthrough_methods.xClose(f);
}

static int read_page_size(const unsigned char *bytes) {
    int size = two_bytes(bytes) == 1 ? 65536 : two_bytes(bytes);
    return size >= 512 && (size & (size - 1)) == 0 ? size : 0;
}

static int zero(void *copy, int from, int to) {
    memset((unsigned char *)copy + from, 0, (size_t)(to - from));
    return SQLITE_OK;
}

/// SQLite reports a full disk (ENOSPC) as SQLITE_FULL, but a disk quota that is used up only as a failed write.
static int full_if_quota(sqlite3_file *real, int code) {
    int last = 0;
    if (code != SQLITE_IOERR_WRITE) return code;
    if (real->pMethods->xFileControl(real, SQLITE_FCNTL_LAST_ERRNO, &last) != SQLITE_OK) return code;
    return last == EDQUOT ? SQLITE_FULL : code;
}

static int clear_write(sqlite3_file *f, const void *bytes, int count, sqlite3_int64 offset) {
    file *own = (file *)f;
    if (own->is_enabled && own->is_checkpointing) {
        if (own->page_size == 0 && offset == 0 && count >= 512) own->page_size = read_page_size((const unsigned char *)bytes + 16);
        if (count == own->page_size && offset % count == 0 && own->size / count < page_limit && offset / count < page_limit) {
            if (own->copy == NULL) own->copy = sqlite3_malloc(65536);
            if (own->copy == NULL) return SQLITE_IOERR_NOMEM;
            memcpy(own->copy, bytes, (size_t)count);
            each_unused(own->copy, count, offset == 0, zero, own->copy);
            bytes = own->copy;
        }
    }
    return full_if_quota(own->base.real, passthrough_methods.xWrite(f, bytes, count, offset));
}

static int measure(file *own) {
    sqlite3_file *real = own->base.real;
    unsigned char bytes[2];
    int code = real->pMethods->xFileSize(real, &own->size);
    if (code != SQLITE_OK) return code;
    own->page_size = 0;
    if (own->size < 512) return SQLITE_OK;
    code = real->pMethods->xRead(real, bytes, 2, 16);
    if (code == SQLITE_OK) own->page_size = read_page_size(bytes);
    return code;
}

typedef struct {
    file *file;
    const unsigned char *page;
    sqlite3_int64 offset;
    int is_changed;
} swept_page;

static int write_zeros(void *context, int from, int to) {
    swept_page *swept = context;
    if (memcmp(swept->page + from, zeros, (size_t)(to - from)) == 0) return SQLITE_OK;
    swept->is_changed = 1;
    // Writes only the unused bytes, not the rest of the page, so that a power failure cannot damage what the page uses.
    sqlite3_file *real = swept->file->base.real;
    return real->pMethods->xWrite(real, zeros, to - from, swept->offset + from);
}

static int sweep(file *own, clearing_step *step) {
    // With a write-ahead log, only a checkpoint writes to the database file, and it holds lock number 1 (walformat.html, 2.3.1).
    enum { checkpoint_lock = 1 };
    sqlite3_file *real = own->base.real;
    int code = real->pMethods->xShmLock(real, checkpoint_lock, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE);
    if (code != SQLITE_OK) return code;
    code = measure(own);
    sqlite3_int64 pages = code == SQLITE_OK && own->page_size > 0 ? own->size / own->page_size : 0;
    if (pages >= page_limit) pages = 0;
    if (code == SQLITE_OK && own->copy == NULL && (own->copy = sqlite3_malloc(65536)) == NULL) code = SQLITE_IOERR_NOMEM;
    // SQLite never uses the page that holds the bytes it locks (fileformat2.html, 1.4).
    sqlite3_int64 locked = own->page_size > 0 ? 0x40000000 / own->page_size : 0;
    step->cleared = 0;
    for (int count = 0; code == SQLITE_OK && count < step->count && step->page < pages; count++, step->page++) {
        if (step->page == locked) continue;
        swept_page swept = {own, own->copy, step->page * own->page_size, 0};
        code = real->pMethods->xRead(real, own->copy, own->page_size, swept.offset);
        if (code == SQLITE_OK) code = each_unused(own->copy, own->page_size, step->page == 0, write_zeros, &swept);
        step->cleared += swept.is_changed;
    }
    if (code == SQLITE_OK && step->page >= pages) step->page = -1;
    int unlocked = real->pMethods->xShmLock(real, checkpoint_lock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
    return code != SQLITE_OK ? code : unlocked;
}

static int clear_control(sqlite3_file *f, int what, void *value) {
    file *own = (file *)f;
    if (own->is_database) {
        switch (what) {
        case control_enable: own->is_enabled = 1; return SQLITE_OK;
        case control_sweep: return sweep(own, value);
        case control_sync: return passthrough_methods.xSync(f, SQLITE_SYNC_NORMAL);
        // If the size cannot be read, the file may be too large to clear safely.
        case SQLITE_FCNTL_CKPT_START: own->is_checkpointing = measure(own) == SQLITE_OK; break;
        case SQLITE_FCNTL_CKPT_DONE: own->is_checkpointing = 0; break;
        case SQLITE_FCNTL_SIZE_HINT:
            if (*(sqlite3_int64 *)value > own->size) own->size = *(sqlite3_int64 *)value;
            break;
        }
    }
    return passthrough_methods.xFileControl(f, what, value);
}

// MARK: - The file system

static void prepare(passthrough_file *f, const char *path, int flags) {
    (void)path;
    ((file *)f)->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
}

static passthrough_vfs vfs;
static int registered;

static void register_once(void) {
    vfs.file_size = sizeof(file);
    vfs.prepare = prepare;
    vfs.methods = passthrough_methods;
    vfs.methods.xClose = clear_close;
    vfs.methods.xWrite = clear_write;
    vfs.methods.xFileControl = clear_control;
    registered = passthrough_register(&vfs, "clearing");
}

int clearing_register(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_once);
    return registered;
}

int clearing_enable(sqlite3 *connection) { return sqlite3_file_control(connection, "main", control_enable, NULL); }
int clearing_sweep(sqlite3 *connection, clearing_step *step) {
    return sqlite3_file_control(connection, "main", control_sweep, step);
}
int clearing_sync(sqlite3 *connection) { return sqlite3_file_control(connection, "main", control_sync, NULL); }
