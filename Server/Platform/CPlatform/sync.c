#define _GNU_SOURCE
#include "cplatform_sync.h"
#include <fcntl.h>
#include <sys/uio.h>

void keepsake_start_writeback(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
    // Only a hint: fsync later writes what this call did not start.
    (void)sync_file_range(descriptor, offset, length, SYNC_FILE_RANGE_WRITE);
#else
    (void)descriptor, (void)offset, (void)length;
#endif
}

long keepsake_read_cached(int descriptor, void *bytes, long length, int64_t offset) {
#if defined(__linux__) && defined(RWF_NOWAIT)
    struct iovec piece = {.iov_base = bytes, .iov_len = (size_t)length};
    return preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT);
#else
    (void)descriptor, (void)bytes, (void)length, (void)offset;
    return -1;
#endif
}
