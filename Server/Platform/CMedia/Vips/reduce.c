#include "reduce.h"

#include <math.h>
#include <stdlib.h>

// libvips would generate vector code at run time in executable memory, which the sandbox forbids. So this file contains the code. It is
// compiled for every machine, and on x86-64 a second time with AVX2. The loader selects the version when the program starts.
#if defined(__x86_64__) && defined(__linux__)
#define FOR_WIDER_VECTORS_TOO __attribute__((target_clones("avx2", "default")))
#else
#define FOR_WIDER_VECTORS_TOO
#endif

/// The three samples of a pixel, and the first of the next pixel.
typedef float pixel __attribute__((vector_size(16), aligned(4)));

enum { lobes = 3 };

/// The source pixels from which each pixel of the result is computed along one axis, and their weights.
struct axis {
    int *first, *count;
    /// `stride` weights for each pixel of the result.
    float *weight;
    size_t stride;
};

struct reducer {
    struct reduction of;
    struct axis across, down;
    /// Sums of unfinished rows: row y of the result is in slot y % slots.
    float *sums, *source;
    size_t row_length;
    int slots;
    /// Numbers of the next source row and of the next result row.
    int taken, done;
    uint8_t *result;
};

static double lanczos(double x) {
    if (x == 0) return 1;
    if (fabs(x) >= lobes) return 0;
    double angle = M_PI * x;
    return lobes * sin(angle) * sin(angle / lobes) / (angle * angle);
}

/// For a source of means (`is_mean`): the weight with which each neighbour is subtracted from a source pixel to sharpen it. This weight
/// restores the strength of the finest detail of the result, at half a cycle a pixel. Towards lower frequencies, both the softening by the
/// means and the sharpening decrease with the square of the frequency.
static double sharpening(double scale) {
    // A very thin picture would be less than one pixel wide in the result, but gets one pixel. The scale is then below 1, and with 0.5,
    // for example, this formula would divide by zero.
    double finest = M_PI * 0.5 / fmax(1, scale);
    return (finest / sin(finest) - 1) / (2 * (1 - cos(2 * finest)));
}

static double kernel(double distance, double scale, double sharpening) {
    double here = lanczos(distance / scale);
    if (sharpening == 0) return here;
    return (1 + 2 * sharpening) * here - sharpening * (lanczos((distance - 1) / scale) + lanczos((distance + 1) / scale));
}

static int axis_make(struct axis *axis, int length, int source_length, double start, double scale, int is_mean) {
    double sharp = is_mean ? sharpening(scale) : 0;
    double reach = lobes * scale + is_mean;
    axis->stride = (size_t)ceil(2 * reach) + 2;
    axis->first = calloc((size_t)length, sizeof(int));
    axis->count = calloc((size_t)length, sizeof(int));
    axis->weight = calloc((size_t)length * axis->stride, sizeof(float));
    if (!axis->first || !axis->count || !axis->weight) return -1;
    for (int i = 0; i < length; i++) {
        double middle = start + (i + 0.5) * scale, sum = 0;
        int first = (int)floor(middle - reach), end = (int)ceil(middle + reach);
        // There are no pixels beyond the edge, so those inside get more weight.
        if (first < 0) first = 0;
        if (end > source_length) end = source_length;
        if (first >= end) first = (end > 0 ? end : 1) - 1, end = first + 1;
        float *weight = axis->weight + (size_t)i * axis->stride;
        for (int at = first; at < end; at++) sum += kernel(at + 0.5 - middle, scale, sharp);
        for (int at = first; at < end; at++) weight[at - first] = sum ? (float)(kernel(at + 0.5 - middle, scale, sharp) / sum) : 1;
        axis->first[i] = first;
        axis->count[i] = end - first;
    }
    return 0;
}

static void axis_free(struct axis *axis) {
    free(axis->first);
    free(axis->count);
    free(axis->weight);
}

/// The largest number of result rows that one source row contributes to.
static int overlap(const struct axis *axis, int length) {
    int most = 1;
    for (int i = 0, oldest = 0; i < length; i++) {
        while (axis->first[oldest] + axis->count[oldest] <= axis->first[i]) oldest++;
        if (i - oldest + 1 > most) most = i - oldest + 1;
    }
    return most;
}

struct reducer *reducer_make(const struct reduction *reduction, uint8_t *result) {
    struct reducer *reducer = calloc(1, sizeof *reducer);
    if (!reducer) return NULL;
    reducer->of = *reduction;
    reducer->result = result;
    // A pixel of three samples is read as a vector of four, so the row has one more sample at its end.
    reducer->row_length = (size_t)reduction->source_width * (size_t)reduction->channels + 1;
    const struct reduction *of = reduction;
    if (axis_make(&reducer->across, of->width, of->source_width, of->left, of->across, of->is_mean) ||
        axis_make(&reducer->down, of->height, of->source_height, of->top, of->down, of->is_mean)) {
        reducer_free(reducer);
        return NULL;
    }
    reducer->slots = overlap(&reducer->down, reduction->height);
    reducer->sums = calloc((size_t)reducer->slots * reducer->row_length, sizeof(float));
    reducer->source = calloc(reducer->row_length, sizeof(float));
    if (!reducer->sums || !reducer->source) {
        reducer_free(reducer);
        return NULL;
    }
    return reducer;
}

void reducer_free(struct reducer *reducer) {
    if (!reducer) return;
    axis_free(&reducer->across);
    axis_free(&reducer->down);
    free(reducer->sums);
    free(reducer->source);
    free(reducer);
}

int reducer_is_done(const struct reducer *reducer) { return reducer->done == reducer->of.height; }

static uint8_t sample(float value) { return value <= 0 ? 0 : value >= 254.5f ? 255 : (uint8_t)(value + 0.5f); }

FOR_WIDER_VECTORS_TOO static void widen(float *restrict to, const uint8_t *restrict from, size_t length) {
    for (size_t i = 0; i < length; i++) to[i] = from[i];
}

FOR_WIDER_VECTORS_TOO static void put(float *restrict sum, const float *restrict source, float weight, size_t length) {
    for (size_t i = 0; i < length; i++) sum[i] = weight * source[i];
}

FOR_WIDER_VECTORS_TOO static void add(float *restrict sum, const float *restrict source, float weight, size_t length) {
    for (size_t i = 0; i < length; i++) sum[i] += weight * source[i];
}

/// Computes one row of the result from the sum of its source rows.
static void write_row(struct reducer *reducer, const float *sum) {
    int width = reducer->of.width, channels = reducer->of.channels;
    uint8_t *row = reducer->result + (size_t)reducer->done * (size_t)width * (size_t)channels;
    for (int x = 0; x < width; x++) {
        const float *weight = reducer->across.weight + (size_t)x * reducer->across.stride;
        const float *source = sum + (size_t)reducer->across.first[x] * (size_t)channels;
        int count = reducer->across.count[x];
        if (channels == 3) {
            // The loop keeps two sums, because with a single sum each addition would wait for the previous one. The fourth lane belongs to
            // the next pixel and is ignored.
            pixel even = {0}, odd = {0};
            int i = 0;
            for (; i + 1 < count; i += 2) {
                even += weight[i] * *(const pixel *)(source + 3 * i);
                odd += weight[i + 1] * *(const pixel *)(source + 3 * i + 3);
            }
            if (i < count) even += weight[i] * *(const pixel *)(source + 3 * i);
            even += odd;
            for (int channel = 0; channel < 3; channel++) *row++ = sample(even[channel]);
        } else {
            float value = 0;
            for (int i = 0; i < count; i++) value += weight[i] * source[i];
            *row++ = sample(value);
        }
    }
    reducer->done++;
}

void reducer_take(struct reducer *reducer, const uint8_t *row) {
    size_t length = (size_t)reducer->of.source_width * (size_t)reducer->of.channels;
    const struct axis *down = &reducer->down;
    int at = reducer->taken++;
    if (reducer_is_done(reducer) || at < down->first[reducer->done]) return;
    float *source = reducer->source;
    widen(source, row, length);
    for (int y = reducer->done; y < reducer->of.height && down->first[y] <= at; y++) {
        float weight = down->weight[(size_t)y * down->stride + (size_t)(at - down->first[y])];
        float *sum = reducer->sums + (size_t)(y % reducer->slots) * reducer->row_length;
        (at == down->first[y] ? put : add)(sum, source, weight, length);
    }
    while (!reducer_is_done(reducer) && down->first[reducer->done] + down->count[reducer->done] - 1 == at)
        write_row(reducer, reducer->sums + (size_t)(reducer->done % reducer->slots) * reducer->row_length);
}
