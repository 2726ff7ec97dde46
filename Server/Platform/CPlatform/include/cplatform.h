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

/// Limits the free memory that the allocator keeps. Call it before the process starts most of its threads. Does nothing if the allocator is
/// not glibc's.
/// - Each arena keeps at most `most` bytes at its end. Blocks of this size and larger get memory of their own, which `free` returns to the
///   system. glibc otherwise raises both limits when a large block is freed: after a block of 16 MB it keeps up to 32 MB in each arena, and
///   malloc_trim(3) returns none of it, because it looks at the end of the main thread's arena only.
/// - There are two arenas for each processor, but at least four. glibc's default is eight for each processor. Each arena has free memory
///   that threads of other arenas cannot use. If the environment variable MALLOC_ARENA_MAX is set, it applies instead.
void keepsake_limit_free_memory(size_t most);

#endif
