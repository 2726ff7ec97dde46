#ifndef KEEPSAKE_CPLATFORM_SYNC_H
#define KEEPSAKE_CPLATFORM_SYNC_H

#include <stdint.h>

/// Tells the kernel to start writing this part of the file to the disk, without waiting: sync_file_range(2), which Swift's Glibc
/// module hides behind _GNU_SOURCE. Nothing where there is no such call.
void keepsake_start_writeback(int descriptor, int64_t offset, int64_t length);

#endif
