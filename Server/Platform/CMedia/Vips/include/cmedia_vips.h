#ifndef KEEPSAKE_CMEDIA_VIPS_H
#define KEEPSAKE_CMEDIA_VIPS_H

#include <stddef.h>
#include <stdint.h>

// For the worker only. These functions call libvips, whose variadic functions Swift cannot call. They return 0 for success unless their
// comment says otherwise.

/// Starts libvips: one thread, no cache, and no loaders but those of JPEG, PNG, WebP, GIF and HEIF.
int media_vips_start(const char *_Nonnull name);

struct media_picture {
    /// Size as stored in the file, in pixels.
    int width, height;
    /// Number of frames or pages.
    int pages;
    int has_alpha;
    /// Whether the picture has its own colour profile.
    int has_profile;
    /// The name of the libvips loader, for example "jpegload_buffer".
    char loader[40];
    /// For HEIF "hevc" or "av1"; otherwise empty.
    char compression[16];
};

/// Reads the header without decoding pixels.
/// - Parameter exif: receives the EXIF block, truncated to `exif_capacity`; `exif_length` receives its length, 0 if there is none.
int media_vips_header(
    const void *_Nonnull bytes, size_t length, struct media_picture *_Nonnull picture, void *_Nonnull exif, size_t exif_capacity,
    size_t *_Nonnull exif_length);

enum media_format {
    media_format_jpeg = 1,
    media_format_webp = 2,
    media_format_avif = 3,
    /// 8-bit samples without a header, row by row, one or three a pixel.
    media_format_pixels = 4,
};

struct media_variant {
    /// Size of the variant in pixels, upright; neither is larger than the picture's.
    int width, height;
    /// Whether to crop the picture to the box, centred.
    int cover;
    /// The EXIF orientation to apply, 1...8; 1 for none.
    int orientation;
    enum media_format format;
    /// 1...100.
    int quality;
    /// Whether the picture is a HEIF. Then the picture itself is decoded, never the embedded thumbnail, which may show something else.
    int is_heif;
    int is_jpeg;
    int has_profile;
};

/// Decodes only as much of the picture as the variant's size needs, rotates upright, converts to sRGB, and encodes without metadata.
/// - Parameter output: must be released with `media_vips_release`.
int media_vips_variant(
    const void *_Nonnull bytes, size_t length, struct media_variant variant, void *_Nullable *_Nonnull output, size_t *_Nonnull output_length,
    int *_Nonnull width, int *_Nonnull height);

void media_vips_release(void *_Nullable output);

/// Whether the last failure was caused by lack of memory.
int media_vips_is_out_of_memory(void);

/// libvips' message for the last failure. It may quote the file, so it must never reach a log.
const char *_Nonnull media_vips_error(void);

/// Clears the last failure.
void media_vips_forget(void);

// MARK: - Documents

/// The state of one inflation (RFC 1951) with zlib.
struct media_inflation;

/// - Returns: NULL without memory.
struct media_inflation *_Nullable media_inflate_start(void);

/// Inflates until the input is used up, the output is full, or the data ends.
/// - Parameter used: receives how many bytes of the input were read.
/// - Parameter ended: receives whether the data has ended.
/// - Returns: the number of bytes written to `output`; negative when the data is damaged.
long media_inflate(
    struct media_inflation *_Nonnull inflation, const uint8_t *_Nonnull input, size_t count, size_t *_Nonnull used, uint8_t *_Nonnull output,
    size_t capacity, int *_Nonnull ended);

void media_inflate_end(struct media_inflation *_Nullable inflation);

enum media_text {
    /// No text: it contains control characters, or is in none of the encodings below.
    media_text_none = 0,
    /// UTF-8 with or without a byte order mark, including ASCII.
    media_text_utf8 = 1,
    /// UTF-16 with a byte order mark.
    media_text_utf16_little = 2,
    media_text_utf16_big = 3,
    /// Windows-1252, of which Latin-1's printable characters are a part.
    media_text_windows_1252 = 4,
};

/// Determines how a whole text is encoded. Reads it once, or twice if it is not UTF-8. The bytes must be a mapped file: this function
/// unmaps the pages that it has read, so that a long text takes no memory.
enum media_text media_text_form(const uint8_t *_Nonnull bytes, size_t count);

/// Unmaps the pages of a file that lie within these bytes. They are mapped again when they are read.
void media_forget_pages(const void *_Nonnull bytes, size_t length);

#endif
