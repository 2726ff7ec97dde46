#ifndef KEEPSAKE_CMEDIA_VIPS_H
#define KEEPSAKE_CMEDIA_VIPS_H

#include <stddef.h>
#include <stdint.h>

// libvips for the worker alone: its calls are variadic, which Swift cannot call. 0 is success.

/// Starts libvips: one thread, no cache, and no loaders but those of JPEG, PNG, WebP, GIF and HEIF.
int media_vips_start(const char *_Nonnull name);

struct media_picture {
    /// As stored, in pixels.
    int width, height;
    /// Frames or pages.
    int pages;
    int has_alpha;
    /// Whether its colours are described by a profile of its own.
    int has_profile;
    /// Of libvips: "jpegload_buffer".
    char loader[40];
    /// Of HEIF: "hevc", "av1"; otherwise empty.
    char compression[16];
};

/// Reads the header, decodes no pixels.
/// - Parameter exif: receives the EXIF block, as far as it fits; `exif_length` says how much that is, 0 without.
int media_vips_header(
    const void *_Nonnull bytes, size_t length, struct media_picture *_Nonnull picture, void *_Nonnull exif, size_t exif_capacity,
    size_t *_Nonnull exif_length);

enum media_format { media_format_jpeg = 1, media_format_webp = 2, media_format_avif = 3 };

struct media_variant {
    /// Pixels to answer, upright, neither larger than the picture.
    int width, height;
    /// Cut what does not fit, centred.
    int cover;
    /// As EXIF numbers it, 1...8; what remains to be done, 1 for nothing.
    int orientation;
    enum media_format format;
    /// 1...100.
    int quality;
    /// HEIF: the picture itself is decoded, never the thumbnail that came along, which may show something else.
    int is_heif;
    int is_jpeg;
    int has_profile;
};

/// Decodes as little as the size needs, turns upright, converts to sRGB, encodes without any metadata.
/// - Parameter output: to be released by `media_vips_release`.
int media_vips_variant(
    const void *_Nonnull bytes, size_t length, struct media_variant variant, void *_Nullable *_Nonnull output, size_t *_Nonnull output_length,
    int *_Nonnull width, int *_Nonnull height);

void media_vips_release(void *_Nullable output);

/// Whether what failed last failed for lack of memory.
int media_vips_is_out_of_memory(void);

/// What failed last, in libvips' words, which may quote the file. For people, never for a log.
const char *_Nonnull media_vips_error(void);

/// Forgets what failed.
void media_vips_forget(void);

#endif
