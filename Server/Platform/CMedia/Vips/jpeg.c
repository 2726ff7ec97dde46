#include "jpeg.h"

#include "reduce.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

/// The maximum number of scans of a progressive JPEG. It is decoded once for each scan, so without a limit the file would determine how
/// often. Cameras use 10 scans. libvips has the same limit.
enum { most_scans = 100 };

struct shrinking {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    const struct media_variant *variant;
    int box_width, box_height;
    /// Allocations, which must be freed after a failure.
    VipsImage *image;
    struct reducer *reducer;
    JSAMPLE *row;
    JOCTET *profile;
    unsigned int profile_length;
};

static struct shrinking *owner(j_common_ptr decoder) { return (struct shrinking *)decoder->client_data; }

static void fail(j_common_ptr decoder) {
    vips_error("keepsake-media", "%s", decoder->err->msg_code == JERR_OUT_OF_MEMORY ? "out of memory" : "broken JPEG");
    longjmp(owner(decoder)->failed, 1);
}

static void handle_warning(j_common_ptr decoder, int level) {
    if (level >= 0) return;
    decoder->err->num_warnings++;
    // libjpeg would fill the rest of a truncated picture with grey; fail instead.
    if (decoder->err->msg_code == JWRN_JPEG_EOF) fail(decoder);
}

static void ignore_message(j_common_ptr decoder) {}

static void watch(j_common_ptr decoder) {
    if (((j_decompress_ptr)decoder)->input_scan_number <= most_scans) return;
    decoder->err->msg_code = JERR_BAD_PROGRESSION;
    fail(decoder);
}

/// The factor by which libjpeg reduces the picture. libjpeg drops frequencies and folds some of them into those it keeps, so a part of the
/// reduction is left to Lanczos: usually a factor of two or more, as in libvips. With a factor of eight, libjpeg skips most coefficients
/// and takes a quarter less time. Each of its pixels is then the mean of a square of the picture. Means can be sharpened, so the result is
/// as good if Lanczos reduces the rest by 1.5 or more (docs/results/005).
static unsigned int load_shrink(double shrink) { return shrink >= 12 ? 8 : shrink >= 8 ? 4 : shrink >= 4 ? 2 : 1; }

static int clamp(double value, int most) { return value < 1 ? 1 : value > most ? most : (int)value; }

/// Computes the requested part of the picture and its size, in terms of libjpeg's output.
static struct reduction plan(struct shrinking *work) {
    struct jpeg_decompress_struct *decoder = &work->decoder;
    double width = decoder->image_width, height = decoder->image_height;
    double across = width / work->box_width, down = height / work->box_height;
    int cover = work->variant->cover;
    double shrink = fmax(1, cover ? fmin(across, down) : fmax(across, down));
    decoder->scale_num = 1;
    decoder->scale_denom = load_shrink(shrink);
    jpeg_calc_output_dimensions(decoder);
    struct reduction reduction = {
        .channels = decoder->out_color_space == JCS_GRAYSCALE ? 1 : 3,
        .source_width = (int)decoder->output_width,
        .source_height = (int)decoder->output_height,
        .is_mean = decoder->scale_denom == 8,
        .width = clamp(width / shrink + 0.5, work->box_width),
        .height = clamp(height / shrink + 0.5, work->box_height),
    };
    // The visible part of the picture: all of it, or its center.
    double seen_width = cover ? fmin(width, reduction.width * shrink) : width;
    double seen_height = cover ? fmin(height, reduction.height * shrink) : height;
    reduction.across = seen_width / reduction.width / decoder->scale_denom;
    reduction.down = seen_height / reduction.height / decoder->scale_denom;
    reduction.left = (width - seen_width) / 2 / decoder->scale_denom;
    reduction.top = (height - seen_height) / 2 / decoder->scale_denom;
    return reduction;
}

/// On errors libjpeg jumps back to this function with longjmp; all allocations are in `work`, so that they can be freed.
static int decode(struct shrinking *work, const void *bytes, size_t length) {
    struct jpeg_decompress_struct *decoder = &work->decoder;
    if (setjmp(work->failed)) return -1;
    // This call keeps the decoder's `err` and `client_data`, and clears its other fields.
    jpeg_create_decompress(decoder);
    decoder->progress = &work->progress;
    jpeg_mem_src(decoder, bytes, length);
    if (work->variant->has_profile) jpeg_save_markers(decoder, JPEG_APP0 + 2, 0xFFFF);
    jpeg_read_header(decoder, TRUE);
    if (decoder->out_color_space != JCS_GRAYSCALE && decoder->out_color_space != JCS_RGB) return 1;
    struct reduction reduction = plan(work);
    if (work->variant->has_profile) jpeg_read_icc_profile(decoder, &work->profile, &work->profile_length);
    jpeg_start_decompress(decoder);

    work->image = vips_image_new_memory();
    vips_image_init_fields(
        work->image, reduction.width, reduction.height, reduction.channels, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
        reduction.channels == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, 1, 1);
    if (vips_image_write_prepare(work->image)) return -1;
    work->reducer = reducer_make(&reduction, VIPS_IMAGE_ADDR(work->image, 0, 0));
    work->row = malloc((size_t)reduction.source_width * (size_t)reduction.channels);
    if (!work->reducer || !work->row) {
        vips_error("keepsake-media", "out of memory");
        return -1;
    }
    while (decoder->output_scanline < decoder->output_height) {
        jpeg_read_scanlines(decoder, &work->row, 1);
        reducer_take(work->reducer, work->row);
    }
    // Reads to the end, which detects damage after the last row.
    jpeg_finish_decompress(decoder);
    return 0;
}

/// Converts from the picture's own colour profile to sRGB.
static int convert(struct shrinking *work, VipsImage **image) {
    vips_image_set_blob_copy(work->image, VIPS_META_ICC_NAME, work->profile, work->profile_length);
    return vips_icc_transform(
        work->image, image, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_RELATIVE, "depth", 8, NULL);
}

int media_jpeg_shrink(const void *bytes, size_t length, int width, int height, const struct media_variant *variant, VipsImage **image) {
    struct shrinking work = {.variant = variant, .box_width = width, .box_height = height};
    work.decoder.err = jpeg_std_error(&work.errors);
    work.decoder.client_data = &work;
    work.errors.error_exit = fail;
    work.errors.emit_message = handle_warning;
    work.errors.output_message = ignore_message;
    work.progress.progress_monitor = watch;
    int code = decode(&work, bytes, length);
    jpeg_destroy_decompress(&work.decoder);
    reducer_free(work.reducer);
    free(work.row);
    if (code == 0 && work.profile_length > 0) {
        code = convert(&work, image);
    } else if (code == 0) {
        *image = work.image;
        work.image = NULL;
    }
    if (work.image) g_object_unref(work.image);
    free(work.profile);
    return code;
}
