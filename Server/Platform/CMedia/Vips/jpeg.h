#ifndef KEEPSAKE_JPEG_H
#define KEEPSAKE_JPEG_H

#include "cmedia_vips.h"

#include <vips/vips.h>

/// A JPEG made smaller, by libjpeg-turbo directly: libvips hands it the file in pieces of 4 KB, and for the last 3 KB of each it falls
/// back to its slow decoder, which asks for every byte.
///
/// - Parameters:
///   - width, height: the box as the file stores its rows, in pixels.
///   - image: receives the pixels in memory, in sRGB; neither larger than the picture nor turned.
/// - Returns: 0; 1 when it is a kind that libvips is to decode (CMYK); -1 when it failed, and vips_error says why.
int media_jpeg_shrink(const void *bytes, size_t length, int width, int height, const struct media_variant *variant, VipsImage **image);

#endif
