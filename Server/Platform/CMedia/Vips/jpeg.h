#ifndef KEEPSAKE_JPEG_H
#define KEEPSAKE_JPEG_H

#include "cmedia_vips.h"

#include <vips/vips.h>

/// Reduces a JPEG with libjpeg-turbo directly. libvips would pass the file in pieces of 4 KB, and for the last 3 KB of each piece
/// libjpeg-turbo uses its slow decoder, which reads byte by byte.
///
/// - Parameters:
///   - width, height: the box in the orientation of the stored rows, in pixels.
///   - image: receives the pixels in memory, in sRGB, not rotated; neither side is larger than the picture's.
/// - Returns: 0; 1 for a kind that libvips must decode (CMYK); -1 on failure, with the reason in vips_error.
int media_jpeg_shrink(const void *bytes, size_t length, int width, int height, const struct media_variant *variant, VipsImage **image);

#endif
