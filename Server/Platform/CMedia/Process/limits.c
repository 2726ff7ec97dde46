#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>

#ifdef __linux__
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void give_up(int signal) { _exit(70); }

static int limit(int resource, uint64_t value) {
    struct rlimit both = {.rlim_cur = value, .rlim_max = value}, now;
    // Keep a stricter limit that the process was started with.
    if (getrlimit(resource, &now) == 0 && now.rlim_max < value) both.rlim_cur = both.rlim_max = now.rlim_max;
    return setrlimit(resource, &both) == 0 ? 0 : -errno;
}

int media_limit(const struct media_limits *limits) {
    // If SIGXFSZ is ignored, writing too large a file fails with an error instead of killing the process.
    signal(SIGXFSZ, SIG_IGN);
    // The kernel skips this signal's default action in the first process of a namespace, so the process needs a handler that ends it when
    // its processor time is used up.
    signal(SIGXCPU, give_up);
    int code = limit(RLIMIT_CORE, 0);
    if (!code) code = limit(RLIMIT_DATA, limits->data);
    if (!code) code = limit(RLIMIT_AS, limits->address_space);
    if (!code) code = limit(RLIMIT_FSIZE, limits->file_size);
    if (!code) code = limit(RLIMIT_CPU, limits->processor_seconds);
    if (!code) code = limit(RLIMIT_NOFILE, limits->descriptors);
    if (!code && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) code = -errno;
    if (!code && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) code = -errno;
    return code;
}

int media_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 ? 0 : -errno; }

void media_give_back_memory(int libraries_too) {
    // Keep a small free heap: the next job would have to fault it in again, page by page.
    if (libraries_too || mallinfo2().fordblks > 16 << 20) malloc_trim(0);
    if (!libraries_too) return;
    FILE *maps = fopen("/proc/self/smaps", "re");
    if (!maps) return;
    static struct { unsigned long start, end; } ranges[2048];
    unsigned long start = 0, end = 0, from, to, kilobytes;
    char line[512], path[8];
    int count = 0;
    while (count < 2048 && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            int is_file = sscanf(line, "%*s %*s %*s %*s %*s %7s", path) == 1 && path[0] == '/';
            start = is_file ? from : 0;
            end = is_file ? to : 0;
        } else if (sscanf(line, "Anonymous: %lu", &kilobytes) == 1 && kilobytes == 0 && start < end) {
            // No page of this mapping was modified, so the kernel can load it again from the file.
            ranges[count].start = start;
            ranges[count++].end = end;
        }
    }
    fclose(maps);
    for (int i = 0; i < count; i++) madvise((void *)ranges[i].start, ranges[i].end - ranges[i].start, MADV_DONTNEED);
}
#else
int media_limit(const struct media_limits *limits) { return -ENOSYS; }
int media_die_with_parent(void) { return -ENOSYS; }
void media_give_back_memory(int libraries_too) {}
#endif
