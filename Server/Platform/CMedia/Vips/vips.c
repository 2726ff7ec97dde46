#include "cmedia_vips.h"

#include "jpeg.h"

#include <string.h>
#include <vips/vips.h>
#include <vips/vector.h>

static void silence(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data) {}

int media_vips_start(const char *name) {
    if (VIPS_INIT(name)) return -1;
    // Warnings may quote the file, so they are discarded.
    g_log_set_default_handler(silence, NULL);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_cache_set_max_mem(0);
    vips_cache_set_max_files(0);
    // libvips generates vector code at run time in executable memory, which the sandbox forbids.
    vips_vector_set_enabled(FALSE);
    vips_block_untrusted_set(TRUE);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    const char *loaders[] = {"VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadNsgif", "VipsForeignLoadHeif"};
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) vips_operation_block_set(loaders[i], FALSE);
    return 0;
}

static void copy_text(VipsImage *image, const char *field, char *target, size_t capacity) {
    const char *text;
    target[0] = 0;
    if (vips_image_get_typeof(image, field) && !vips_image_get_string(image, field, &text)) g_strlcpy(target, text, capacity);
}

int media_vips_header(
    const void *bytes, size_t length, struct media_picture *picture, void *exif, size_t exif_capacity, size_t *exif_length) {
    memset(picture, 0, sizeof *picture);
    *exif_length = 0;
    const char *loader = vips_foreign_find_load_buffer(bytes, length);
    if (!loader) return -1;
    VipsImage *image = vips_image_new_from_buffer(bytes, length, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
    if (!image) return -1;
    picture->width = vips_image_get_width(image);
    picture->height = vips_image_get_height(image);
    picture->pages = vips_image_get_n_pages(image);
    picture->has_alpha = vips_image_hasalpha(image);
    picture->has_profile = vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0;
    copy_text(image, "vips-loader", picture->loader, sizeof picture->loader);
    copy_text(image, "heif-compression", picture->compression, sizeof picture->compression);
    const void *block;
    size_t block_length;
    if (vips_image_get_typeof(image, VIPS_META_EXIF_NAME) && !vips_image_get_blob(image, VIPS_META_EXIF_NAME, &block, &block_length)) {
        *exif_length = block_length < exif_capacity ? block_length : exif_capacity;
        memcpy(exif, block, *exif_length);
    }
    g_object_unref(image);
    return 0;
}

/// Replaces `*image` by `made`, which may be NULL, and releases the old image.
static int step(VipsImage **image, VipsImage *made) {
    g_object_unref(*image);
    *image = made;
    return made ? 0 : -1;
}

/// Applies one of EXIF's eight orientations as a rotation followed by a horizontal mirroring.
static int turn(VipsImage **image, int orientation) {
    static const VipsAngle angles[9] = {
        0, VIPS_ANGLE_D0, VIPS_ANGLE_D0, VIPS_ANGLE_D180, VIPS_ANGLE_D180, VIPS_ANGLE_D90, VIPS_ANGLE_D90, VIPS_ANGLE_D270, VIPS_ANGLE_D270};
    if (orientation < 2 || orientation > 8) return 0;
    // Rotation reads pixels in another order than they are decoded, so the picture must be in memory.
    if (step(image, vips_image_copy_memory(*image))) return -1;
    if (angles[orientation] != VIPS_ANGLE_D0) {
        VipsImage *turned = NULL;
        vips_rot(*image, &turned, angles[orientation], NULL);
        if (step(image, turned)) return -1;
    }
    if (orientation == 2 || orientation == 4 || orientation == 5 || orientation == 7) {
        VipsImage *mirrored = NULL;
        vips_flip(*image, &mirrored, VIPS_DIRECTION_HORIZONTAL, NULL);
        if (step(image, mirrored)) return -1;
    }
    return 0;
}

static int shrink(const void *bytes, size_t length, const struct media_variant *variant, VipsImage **image) {
    // The box is in the orientation of the stored rows, because rotation comes last, when there are few pixels.
    int lies = variant->orientation >= 5;
    int width = lies ? variant->height : variant->width, height = lies ? variant->width : variant->height;
    // Cropping is centred, as in CSS.
    VipsInteresting crop = variant->cover ? VIPS_INTERESTING_CENTRE : VIPS_INTERESTING_NONE;
    // Without a profile, a picture is sRGB already. libvips 8.14 would still convert it, and blue would turn violet.
    const char *profile = variant->has_profile ? "srgb" : NULL;
    *image = NULL;
    if (variant->is_jpeg) {
        int code = media_jpeg_shrink(bytes, length, width, height, variant, image);
        if (code <= 0) return code;
    }
    if (!variant->is_heif)
        return vips_thumbnail_buffer(
            (void *)bytes, length, image, width, "height", height, "size", VIPS_SIZE_DOWN, "crop", crop, "no_rotate", TRUE, "fail_on",
            VIPS_FAIL_ON_ERROR, profile ? "export_profile" : NULL, profile, NULL);
    VipsImage *whole = NULL;
    if (vips_heifload_buffer((void *)bytes, length, &whole, "fail_on", VIPS_FAIL_ON_ERROR, "access", VIPS_ACCESS_SEQUENTIAL, NULL)) return -1;
    int code = vips_thumbnail_image(
        whole, image, width, "height", height, "size", VIPS_SIZE_DOWN, "crop", crop, "no_rotate", TRUE,
        profile ? "export_profile" : NULL, profile, NULL);
    g_object_unref(whole);
    return code;
}

/// Removes all metadata. The "strip" option of the savers is not enough: in libvips 8.14, the WebP saver keeps all metadata despite it.
static int forget_metadata(VipsImage **image) {
    VipsImage *bare = NULL;
    vips_copy(*image, &bare, NULL);
    if (step(image, bare)) return -1;
    gchar **fields = vips_image_get_fields(bare);
    // This does not remove built-in properties, such as the width.
    for (gchar **field = fields; *field; field++) vips_image_remove(bare, *field);
    g_strfreev(fields);
    return 0;
}

static int encode(VipsImage *image, const struct media_variant *variant, void **output, size_t *length) {
    switch (variant->format) {
        case media_format_jpeg:
            return vips_jpegsave_buffer(image, output, length, "Q", variant->quality, "strip", TRUE, "optimize_coding", TRUE, NULL);
        case media_format_webp:
            return vips_webpsave_buffer(image, output, length, "Q", variant->quality, "strip", TRUE, "effort", 2, NULL);
        case media_format_avif:
            return vips_heifsave_buffer(
                image, output, length, "Q", variant->quality, "strip", TRUE, "effort", 2, "compression",
                VIPS_FOREIGN_HEIF_COMPRESSION_AV1, NULL);
        case media_format_pixels:
            *output = vips_image_write_to_memory(image, length);
            return *output ? 0 : -1;
    }
    vips_error("keepsake-media", "no such format");
    return -1;
}

int media_vips_variant(
    const void *bytes, size_t length, struct media_variant variant, void **output, size_t *output_length, int *width, int *height) {
    VipsImage *image;
    *output = NULL;
    if (shrink(bytes, length, &variant, &image)) return -1;
    int code = 0;
    if ((variant.format == media_format_jpeg || variant.format == media_format_pixels) && vips_image_hasalpha(image)) {
        // Show transparent pictures on white, like the page behind them.
        VipsArrayDouble *white = vips_array_double_newv(1, 255.0);
        VipsImage *flat = NULL;
        vips_flatten(image, &flat, "background", white, NULL);
        vips_area_unref(VIPS_AREA(white));
        code = step(&image, flat);
    }
    VipsInterpretation colours = image ? vips_image_guess_interpretation(image) : VIPS_INTERPRETATION_sRGB;
    if (!code && colours != VIPS_INTERPRETATION_sRGB && colours != VIPS_INTERPRETATION_B_W) {
        VipsImage *plain = NULL;
        vips_colourspace(image, &plain, VIPS_INTERPRETATION_sRGB, NULL);
        code = step(&image, plain);
    }
    if (!code && vips_image_get_format(image) != VIPS_FORMAT_UCHAR) {
        VipsImage *bytes_each = NULL;
        vips_cast_uchar(image, &bytes_each, NULL);
        code = step(&image, bytes_each);
    }
    if (!code) code = turn(&image, variant.orientation);
    if (!code) code = forget_metadata(&image);
    if (!code) {
        *width = vips_image_get_width(image);
        *height = vips_image_get_height(image);
        code = encode(image, &variant, output, output_length);
    }
    if (image) g_object_unref(image);
    return code;
}

void media_vips_release(void *output) { g_free(output); }

int media_vips_is_out_of_memory(void) { return strstr(vips_error_buffer(), "out of memory") != NULL; }

const char *media_vips_error(void) { return vips_error_buffer(); }

void media_vips_forget(void) { vips_error_clear(); }
