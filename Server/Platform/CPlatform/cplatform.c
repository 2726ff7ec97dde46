#define _GNU_SOURCE
#include "cplatform.h"

#include <string.h>

#include <sys/resource.h>

#ifdef __linux__
#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
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

#ifdef __linux__
static int release_code(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    uintptr_t page = *(const uintptr_t *)context;
    // The kernel's own code has no file to be read from again.
    if (strstr(object->dlpi_name, "linux-vdso") != NULL) return 0;
    for (int number = 0; number < object->dlpi_phnum; number++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[number];
        // Only code that nobody writes: discarding a page that was written, for example by relocation, would lose what was written.
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || segment->p_flags & PF_W) continue;
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        uintptr_t first = (start + page - 1) & ~(page - 1);
        uintptr_t end = (start + segment->p_memsz) & ~(page - 1);
        if (end > first) madvise((void *)first, end - first, MADV_DONTNEED);
    }
    return 0;
}
#endif

void keepsake_release_code(void) {
#ifdef __linux__
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(release_code, &page);
#endif
}

int64_t keepsake_processor_time(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}
