#ifndef KEEPSAKE_CPLATFORM_H
#define KEEPSAKE_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>

/// First occurrence of `needle` in `haystack`, or NULL. memmem(3), which Swift's Glibc module hides behind _GNU_SOURCE:
/// linear in the worst case, so hostile bytes cannot make it slow.
const void *_Nullable keepsake_find(
    const void *_Nonnull haystack, size_t haystack_length, const void *_Nonnull needle, size_t needle_length);

/// CRC-32 of ISO 3309, as archives have it: of what came before (0 at first) and `length` bytes more.
uint32_t keepsake_crc32(uint32_t before, const void *_Nullable bytes, size_t length);

/// How many processors this process may use (sched_getaffinity(2), hidden likewise); 0 where that cannot be told.
int keepsake_allowed_processors(void);

/// Gives memory that was freed back to the system when there is at least `least` bytes of it: the allocator keeps it otherwise, and a
/// server that was once busy would stay large. Takes some milliseconds for each 100 MB.
/// Returns how much was free; 0 where less than `least` was, or where the allocator is not glibc's.
size_t keepsake_release_free_memory(size_t least);

#endif
