#define _GNU_SOURCE
#include "cplatform.h"

#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

const void *keepsake_find(const void *haystack, size_t haystack_length, const void *needle, size_t needle_length) {
    return memmem(haystack, haystack_length, needle, needle_length);
}

int keepsake_allowed_processors(void) {
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    return 0;
}

size_t keepsake_release_free_memory(size_t least) {
#ifdef __GLIBC__
    struct mallinfo2 memory = mallinfo2();
    if (memory.fordblks < least) return 0;
    malloc_trim(0);
    return memory.fordblks;
#else
    (void)least;
    return 0;
#endif
}

void keepsake_limit_free_memory(size_t most) {
#ifdef __GLIBC__
    int arenas = 2 * keepsake_allowed_processors();
    if (arenas > 0 && !getenv("MALLOC_ARENA_MAX")) mallopt(M_ARENA_MAX, arenas > 4 ? arenas : 4);
    // Each of the calls also ends the automatic adjustment of both limits.
    mallopt(M_TRIM_THRESHOLD, (int)most);
    mallopt(M_MMAP_THRESHOLD, (int)most);
#else
    (void)most;
#endif
}
