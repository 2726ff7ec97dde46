package main

// A binding to SQLite for the one statement of this program. Go calls C once for each row, because a call from Go to C costs more than a
// call within C.

/*
#cgo LDFLAGS: -lsqlite3
#include <sqlite3.h>
#include <stdlib.h>

typedef struct { const char *text; int length; } Text;
typedef struct { Text id, owner, blob, name, type, sha256; sqlite3_int64 byteCount, createdAt; } Row;

// Columns that no header field needs are read into this variable, because the server under test decodes a whole row.
static volatile sqlite3_int64 ignored;

static Text text(sqlite3_stmt *statement, int column) {
    Text value = {(const char *)sqlite3_column_text(statement, column), sqlite3_column_bytes(statement, column)};
    return value;
}

static int find(sqlite3_stmt *statement, const char *id, int idLength, const char *owner, int ownerLength, Row *row) {
    sqlite3_bind_text(statement, 1, id, idLength, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, owner, ownerLength, SQLITE_STATIC);
    int result = sqlite3_step(statement);
    if (result != SQLITE_ROW) return result;
    row->id = text(statement, 0);
    row->owner = text(statement, 1);
    row->blob = text(statement, 2);
    row->name = text(statement, 3);
    row->type = text(statement, 4);
    row->sha256 = text(statement, 5);
    row->byteCount = sqlite3_column_int64(statement, 6);
    for (int column = 7; column < 11; column++) ignored = sqlite3_column_int64(statement, column);
    for (int column = 11; column < 16; column++) ignored = text(statement, column).length;
    row->createdAt = sqlite3_column_int64(statement, 16);
    return result;
}

// Ends the read transaction, and removes the arguments, which are in Go's memory.
static void end(sqlite3_stmt *statement) {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

const served = `SELECT media.id, media.owner, media.blob, media.name, media.type, media.sha256, media.byte_count, media.width, media.height,
        media.duration_ms, media.taken_at, media.category, media.title, media.description, media.tags, media.group_id, media.created_at
    FROM media JOIN account ON account.id = media.owner
    WHERE media.id = ? AND media.owner = ? AND account.closed_at IS NULL AND account.suspended_at IS NULL`

type asset struct {
	blob, name, mediaType, sha256 string
	byteCount                     int64
	createdAt                     int64 // microseconds since 1970
}

type connection struct {
	handle    *C.sqlite3
	statement *C.sqlite3_stmt
}

// A database is a pool of connections. A connection is used by one goroutine at a time.
type database struct{ free chan *connection }

func openDatabase(path string) (*database, error) {
	count := 4 * runtime.GOMAXPROCS(0)
	pool := &database{make(chan *connection, count)}
	name, text := C.CString(path), C.CString(served)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(text))
	for range count {
		one := &connection{}
		if C.sqlite3_open_v2(name, &one.handle, C.SQLITE_OPEN_READWRITE|C.SQLITE_OPEN_NOMUTEX, nil) != C.SQLITE_OK ||
			C.sqlite3_busy_timeout(one.handle, 10_000) != C.SQLITE_OK ||
			C.sqlite3_prepare_v3(one.handle, text, -1, C.SQLITE_PREPARE_PERSISTENT, &one.statement, nil) != C.SQLITE_OK {
			return nil, fmt.Errorf("%s: %s", path, C.GoString(C.sqlite3_errmsg(one.handle)))
		}
		pool.free <- one
	}
	return pool, nil
}

var errNoSuchFile = errors.New("no such file")

func bytesOf(text string) (*C.char, C.int) {
	return (*C.char)(unsafe.Pointer(unsafe.StringData(text))), C.int(len(text))
}

func stringOf(text C.Text) string { return C.GoStringN(text.text, text.length) }

func (pool *database) find(id, owner string) (asset, error) {
	one := <-pool.free
	defer func() { pool.free <- one }()
	idBytes, idLength := bytesOf(id)
	ownerBytes, ownerLength := bytesOf(owner)
	var row C.Row
	// The row's texts are valid until `end` runs.
	defer C.end(one.statement)
	switch C.find(one.statement, idBytes, idLength, ownerBytes, ownerLength, &row) {
	case C.SQLITE_ROW:
	case C.SQLITE_DONE:
		return asset{}, errNoSuchFile
	default:
		return asset{}, errors.New(C.GoString(C.sqlite3_errmsg(one.handle)))
	}
	return asset{
		blob: stringOf(row.blob), name: stringOf(row.name), mediaType: stringOf(row._type), sha256: stringOf(row.sha256),
		byteCount: int64(row.byteCount), createdAt: int64(row.createdAt)}, nil
}
