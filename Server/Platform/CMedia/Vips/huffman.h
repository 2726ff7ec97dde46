#ifndef KEEPSAKE_HUFFMAN_H
#define KEEPSAKE_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

/// Receives one row of interleaved samples, from the top: one sample a pixel, or Y, Cb and Cr.
typedef void (*huffman_row)(void *context, const uint8_t *row);

/// Decodes a JPEG to the means of squares of 4 × 4 or 8 × 8 pixels. Reading the Huffman code is most of the work of a strong reduction.
/// libjpeg-turbo reads a symbol in several steps and keeps coefficients that a small picture does not need; this decoder reads most symbols
/// with one look into a table and adds each coefficient to the few means at once.
///
/// It decodes what cameras write: a baseline JPEG of one scan, grey or YCbCr, with colours in full or half resolution. libjpeg must decode
/// everything else, and every file that is damaged, so that damage has the same effect as elsewhere.
///
/// - Parameters:
///   - decoder: after `jpeg_read_header`; it is not changed.
///   - bytes: the data after the header of the first scan.
///   - square: 4 or 8.
///   - take: called for each row of the result, as many as the height of the picture divided by `square`, rounded up.
/// - Returns: 0; 1 when libjpeg must decode the picture, also after some rows were taken.
int huffman_means(
    const struct jpeg_decompress_struct *decoder, const uint8_t *bytes, size_t length, int square, huffman_row take, void *context);

#endif
