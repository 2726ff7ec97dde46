#ifndef KEEPSAKE_REDUCE_H
#define KEEPSAKE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

// Reduces a picture with Lanczos' kernel of three lobes while its rows arrive. The memory that it uses depends only on the picture's width,
// because a source row contributes to at most ten rows of the result, whatever the factor.

struct reduction {
    /// Samples of 8 bits a pixel, interleaved: 1 or 3.
    int channels;
    /// Pixels.
    int source_width, source_height;
    /// Pixels.
    int width, height;
    /// Source pixels for each pixel of the result: 1 or more, except along the thin side of a picture whose result is one pixel there.
    double across, down;
    /// Position of the result's upper left corner in the source, in source pixels.
    double left, top;
    /// Whether a source pixel is the mean of the square that it represents. Means are soft: a frequency of f cycles a pixel keeps only
    /// sinc(f) of its strength. Sharpening then restores the finest detail that the result can show.
    int is_mean;
};

struct reducer;

/// - Parameter result: `width × height × channels` bytes, complete after the last source row was added.
/// - Returns: NULL when there is not enough memory.
struct reducer *reducer_make(const struct reduction *reduction, uint8_t *result);

/// Adds the next row of the source, from the top.
void reducer_take(struct reducer *reducer, const uint8_t *row);

/// Whether the result is complete; further rows are ignored.
int reducer_is_done(const struct reducer *reducer);

void reducer_free(struct reducer *reducer);

#endif
