/* Delays each sync of a program by SYNC_DELAY_US microseconds, as a slower disk would: LD_PRELOAD=delay.so SYNC_DELAY_US=2000 PROGRAM.
 * The sync itself still runs. SYNC_COUNT names a file of 8 bytes, in which the library counts the syncs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct timespec pause_after;
static uint64_t *count;

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("SYNC_DELAY_US"), *path = getenv("SYNC_COUNT");
    long delay = text ? atol(text) : 0;
    pause_after.tv_sec = delay / 1000000;
    pause_after.tv_nsec = delay % 1000000 * 1000;
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0) return;
    if (ftruncate(file, sizeof *count) == 0) {
        void *page = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (page != MAP_FAILED) count = page;
    }
    close(file);
}

static int after(int result) {
    int code = errno;
    struct timespec rest = pause_after;
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
    if (count) __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    errno = code;
    return result;
}

int fsync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return after(next(file));
}

int fdatasync(int file) {
    static int (*next)(int);
    if (!next) next = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return after(next(file));
}
