#define _GNU_SOURCE
#include "cplatform_sync.h"
#include <fcntl.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

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

#if defined(__linux__) && defined(RWF_NOWAIT)

#ifndef SYS_cachestat
// The same number on all architectures; glibc's headers may be older than the kernel.
#define SYS_cachestat 451
#endif

/// The pages of the range that are in the cache; -1 if the kernel does not tell.
static long cached_pages(int descriptor, int64_t offset, long length) {
    struct { uint64_t offset, length; } range = {(uint64_t)offset, (uint64_t)length};
    struct { uint64_t cached, dirty, writeback, evicted, recently_evicted; } found;
    return syscall(SYS_cachestat, descriptor, &range, &found, 0) == 0 ? (long)found.cached : -1;
}

/// Like `cached_pages`, through a mapping that nothing reads.
static long resident_pages(int descriptor, int64_t first, long count, long page) {
    void *map = mmap(NULL, (size_t)(count * page), PROT_READ, MAP_SHARED, descriptor, first * page);
    if (map == MAP_FAILED) return -1;
    unsigned char pages[512];
    long resident = 0;
    for (long done = 0; done < count; done += (long)sizeof pages) {
        long step = count - done < (long)sizeof pages ? count - done : (long)sizeof pages;
        if (mincore((char *)map + done * page, (size_t)(step * page), pages) != 0) {
            resident = -1;
            break;
        }
        for (long i = 0; i < step; i++) resident += pages[i] & 1;
    }
    (void)munmap(map, (size_t)(count * page));
    return resident;
}

int keepsake_is_cached(int descriptor, int64_t offset, long length) {
    struct stat status;
    if (length <= 0 || fstat(descriptor, &status) != 0 || status.st_size < offset + length) return 0;
    long page = sysconf(_SC_PAGESIZE);
    int64_t first = offset / page;
    long count = (long)((offset + length - 1) / page - first + 1);
    long cached = cached_pages(descriptor, offset, length);
    if (cached < 0) cached = resident_pages(descriptor, first, count, page);
    if (cached < count) return 0;
    // A page that the disk is still reading counts as cached. The kernel reads ahead in order, so look at the last page.
    char byte;
    return keepsake_read_cached(descriptor, &byte, 1, offset + length - 1) == 1;
}

#else

int keepsake_is_cached(int descriptor, int64_t offset, long length) {
    (void)descriptor, (void)offset, (void)length;
    return 0;
}

#endif

int keepsake_allocate(int descriptor, int64_t offset, int64_t length) {
#ifdef __linux__
    return fallocate(descriptor, 0, offset, length);
#else
    (void)descriptor, (void)offset, (void)length;
    return -1;
#endif
}
