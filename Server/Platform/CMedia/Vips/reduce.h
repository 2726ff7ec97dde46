#ifndef KEEPSAKE_REDUCE_H
#define KEEPSAKE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

// Makes a picture smaller while its rows come in, by Lanczos' kernel of three lobes, in memory that depends on its width alone: a
// source row weighs on at most ten rows of the result, however much smaller that is.

struct reduction {
    /// Samples of 8 bits a pixel, interleaved: 1 or 3.
    int channels;
    /// Pixels.
    int source_width, source_height;
    /// Pixels.
    int width, height;
    /// Source pixels for one of the result, 1 or more.
    double across, down;
    /// Where in the source the result's upper left corner is, in source pixels.
    double left, top;
    /// Whether a source pixel is the mean of the square it stands for. A mean is soft: it keeps sinc(f) of a frequency of f cycles a
    /// pixel. What that takes from the finest detail the result can show is then given back.
    int is_mean;
};

struct reducer;

/// - Parameter result: `width × height × channels` bytes, filled by the time the last row was taken.
/// - Returns: NULL when there is no memory.
struct reducer *reducer_make(const struct reduction *reduction, uint8_t *result);

/// Takes the next row of the source, from the top.
void reducer_take(struct reducer *reducer, const uint8_t *row);

/// Whether the result is whole; what else comes is of no account.
int reducer_is_done(const struct reducer *reducer);

void reducer_free(struct reducer *reducer);

#endif
