#ifndef KEEPSAKE_CPLATFORM_H
#define KEEPSAKE_CPLATFORM_H

#include <stddef.h>

/// First occurrence of `needle` in `haystack`, or NULL. memmem(3), which Swift's Glibc module hides behind _GNU_SOURCE:
/// linear in the worst case, so hostile bytes cannot make it slow.
const void *_Nullable keepsake_find(
    const void *_Nonnull haystack, size_t haystack_length, const void *_Nonnull needle, size_t needle_length);

#endif
