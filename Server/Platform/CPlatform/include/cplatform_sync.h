#ifndef KEEPSAKE_CPLATFORM_SYNC_H
#define KEEPSAKE_CPLATFORM_SYNC_H

#include <stdint.h>

/// Tells the kernel to start writing this part of the file to the disk, without waiting: sync_file_range(2), which Swift's Glibc module
/// hides behind _GNU_SOURCE. Does nothing on systems without this call.
void keepsake_start_writeback(int descriptor, int64_t offset, int64_t length);

/// Reads up to `length` bytes at `offset` from the page cache, without waiting for a disk: preadv2(2) with RWF_NOWAIT.
/// Returns the number of bytes, or -1 if the first byte is not cached, if the system or the file system does not support this, or on error.
long keepsake_read_cached(int descriptor, void *_Nullable bytes, long length, int64_t offset);


/// Whether the page cache has all of these bytes, so that sendfile(2) does not wait for a disk: cachestat(2), or mincore(2) where the
/// kernel is older than Linux 6.5 or the sandbox refuses the call. Returns 0 also if the file ends earlier, if the system cannot tell, and
/// on error.
int keepsake_is_cached(int descriptor, int64_t offset, long length);

/// Allocates `length` bytes of the disk for the file from `offset` on, and extends the file to their end: fallocate(2). What the file
/// contains does not change; new bytes are zero. Unlike posix_fallocate(3), it never writes, so it is safe beside other writers of the
/// file.
/// Returns 0, or -1 if there is no room, or if the system or the file system does not support this.
int keepsake_allocate(int descriptor, int64_t offset, int64_t length);

#endif
