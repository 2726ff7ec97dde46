#define _GNU_SOURCE
#include "cplatform.h"

#include <string.h>

#ifdef __linux__
#include <sched.h>
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
