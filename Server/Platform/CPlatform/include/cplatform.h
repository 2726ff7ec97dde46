#ifndef KEEPSAKE_CPLATFORM_H
#define KEEPSAKE_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// First occurrence of `needle` in `haystack`, or NULL. This is memmem(3), which Swift's Glibc module hides behind _GNU_SOURCE. It takes
/// linear time even in the worst case, so hostile input cannot make it slow.
const void *_Nullable keepsake_find(
    const void *_Nonnull haystack, size_t haystack_length, const void *_Nonnull needle, size_t needle_length);

/// CRC-32 of ISO 3309, as ZIP archives use it: continues `before` (0 at first) with `length` more bytes.
uint32_t keepsake_crc32(uint32_t before, const void *_Nullable bytes, size_t length);

/// The number of processors this process may use (sched_getaffinity(2), also hidden by _GNU_SOURCE); 0 if unknown.
int keepsake_allowed_processors(void);

/// Returns freed memory to the system if at least `least` bytes of it are free. Otherwise the allocator keeps it, and a server that was
/// once busy stays large. Takes some milliseconds for each 100 MB.
/// Returns the number of free bytes; 0 if fewer than `least` were free, or if the allocator is not glibc's.
size_t keepsake_release_free_memory(size_t least);

/// Unmaps the pages of the program's and the libraries' code from this process. They stay in the system's page cache, and the next use of
/// a page maps it again, without a read. A start touches two thirds of all code, an idle server a tenth. Takes less than a millisecond.
void keepsake_release_code(void);

/// Processor time of all threads of this process so far, in microseconds; 0 if unknown.
int64_t keepsake_processor_time(void);

#endif
