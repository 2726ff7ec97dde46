#include "huffman.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef float four __attribute__((vector_size(16), aligned(4)));

enum {
    /// Bits that one look into a table covers. A table takes 16 KB.
    look = 11,
    /// A symbol has at most 16 bits, and at most 15 more follow for its value.
    most_bits = 31,
    most_blocks = 6,
    /// Bytes of an MCU: at most 64 symbols for each block, of four bytes each; and what one look may read ahead.
    most_mcu = most_blocks * DCTSIZE2 * 4 + 16,
    capacity = 32768,
    /// Means along one side of a block: 1, 2 or 4.
    most_side = 4,
    /// Two moves by up to 64 from the last place but one.
    most_places = DCTSIZE2 - 1 + 2 * DCTSIZE2,
};

/// What the next bits mean, as one or two symbols with their values:
/// - bits 0 to 7: the bits of all symbols; 0 when the first one exceeds `look`
/// - bits 8 to 15: the bits of the first symbol
/// - bits 16 to 23: by how much it moves the place in the block, 64 for the end of the block; bits 24 to 31: the same of the second symbol, 0
///   when there is none
/// - bits 32 to 47: the coefficient at that place, 0 for a symbol without one; bits 48 to 63: the same of the second symbol
typedef uint64_t symbols;

struct code {
    symbols quick[1 << look];
    /// For each length, the end of its codes, shifted to 16 bits; and what to add to a code for the index of its symbol.
    uint32_t end[18];
    int32_t offset[18];
    uint8_t names[256];
    int is_dc;
};

/// The bits not read yet, in the highest bits of `bits`. Those below the `count` valid ones are zeros, or the bits of the next bytes already.
struct bits {
    const uint8_t *at;
    uint64_t bits;
    int count;
};

struct reader {
    struct bits next;
    /// The rest of the file.
    const uint8_t *source, *source_end;
    /// Bytes of the file without the zeros that follow each 0xFF, and their end. Behind it are zeros for one MCU.
    const uint8_t *end;
    uint8_t buffer[capacity + most_mcu];
    /// Whether a marker, or the end of the file, follows the buffer.
    int is_at_marker;
};

struct part {
    const struct code *dc, *ac;
    /// For each coefficient in the order of the file, what one unit of it adds to each of the block's means.
    float (*basis)[most_side * most_side];
    /// Means along one side of a block.
    int side;
    /// The block's first mean in the rows of the MCU, in pixels.
    int across, down;
    /// The number of its component.
    int component;
};

struct work {
    struct reader reader;
    struct code dc[NUM_HUFF_TBLS], ac[NUM_HUFF_TBLS];
    /// Zeros behind the coefficients: the places that the end of a block, or damaged data, lead to.
    float basis[MAX_COMPS_IN_SCAN][most_places][most_side * most_side];
    /// The blocks of an MCU.
    struct part parts[most_blocks];
    int part_count, channels;
    int64_t last[MAX_COMPS_IN_SCAN];
};

/// ITU T.81 figure A.6: the place of each coefficient of the file, as row × 8 + column.
static const uint8_t natural[DCTSIZE2] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// MARK: Bits

/// Moves what is left to the front of the buffer, and fills it up to the next marker.
static void fill_buffer(struct reader *reader) {
    size_t left = reader->next.at < reader->end ? (size_t)(reader->end - reader->next.at) : 0;
    memmove(reader->buffer, reader->next.at, left);
    uint8_t *to = reader->buffer + left, *full = reader->buffer + capacity;
    while (to < full && !reader->is_at_marker) {
        size_t most = (size_t)(reader->source_end - reader->source);
        if (most > (size_t)(full - to)) most = (size_t)(full - to);
        const uint8_t *escape = memchr(reader->source, 0xFF, most);
        size_t plain = escape ? (size_t)(escape - reader->source) : most;
        memcpy(to, reader->source, plain);
        to += plain;
        reader->source += plain;
        if (reader->source == reader->source_end) {
            reader->is_at_marker = 1;
        } else if (escape) {
            reader->is_at_marker = reader->source_end - reader->source < 2 || reader->source[1] != 0;
            if (reader->is_at_marker) break;
            *to++ = 0xFF;
            reader->source += 2;
        }
    }
    memset(to, 0, most_mcu);
    reader->next.at = reader->buffer;
    reader->end = to;
}

/// Makes sure that an MCU can be read without further checks. What it reads behind the end are zeros; see `is_behind_end`.
static inline void prepare_mcu(struct reader *reader) {
    if (reader->end - reader->next.at < most_mcu && !reader->is_at_marker) fill_buffer(reader);
}

static inline int is_behind_end(const struct reader *reader) { return (reader->next.at - reader->end) * 8 > reader->next.count; }

/// - Returns: whether the marker is next, after the last bits of a byte; if so, skips it.
static int take_marker(struct reader *reader, uint8_t marker) {
    if (!reader->is_at_marker) fill_buffer(reader);
    if (!reader->is_at_marker || (reader->end - reader->next.at) * 8 + reader->next.count >= 8) return 0;
    const uint8_t *at = reader->source;
    // Any number of bytes 0xFF may precede a marker.
    while (reader->source_end - at >= 2 && at[0] == 0xFF && at[1] == 0xFF) at++;
    if (reader->source_end - at < 2 || at[0] != 0xFF || at[1] != marker) return 0;
    reader->source = at + 2;
    reader->next = (struct bits){.at = reader->buffer};
    reader->end = reader->buffer;
    reader->is_at_marker = 0;
    return 1;
}

/// Makes at least 56 bits valid.
static inline void fill(struct bits *bits) {
    uint64_t next;
    memcpy(&next, bits->at, 8);
    bits->bits |= __builtin_bswap64(next) >> bits->count;
    bits->at += (63 - bits->count) >> 3;
    bits->count |= 56;
}

// MARK: Codes

/// - Parameters:
///   - length: bits of the symbol without its value.
///   - bits: the value and what follows.
static inline symbols make_symbol(int name, int length, uint64_t bits, int is_dc) {
    int size = name & 15, run = name >> 4, value = 0;
    int move = size ? run + 1 : run == 15 ? 16 : DCTSIZE2;
    if (size) {
        value = (int)(bits >> (64 - size));
        // ITU T.81 §F.2.2.1: values with a leading 0 are negative.
        if (value < 1 << (size - 1)) value -= (1 << size) - 1;
    }
    if (is_dc) move = 0;
    return (uint64_t)(uint16_t)value << 32 | (uint64_t)move << 16 | (uint64_t)(length + size) << 8 | (uint64_t)(length + size);
}

static inline int length_of(symbols symbols) { return symbols & 0xFF; }
static inline int length_of_first(symbols symbols) { return symbols >> 8 & 0xFF; }
static inline int move_of_first(symbols symbols) { return symbols >> 16 & 0xFF; }
static inline int move_of_second(symbols symbols) { return symbols >> 24 & 0xFF; }
static inline int value_of_first(symbols symbols) { return (int16_t)(symbols >> 32); }
static inline int value_of_second(symbols symbols) { return (int16_t)(symbols >> 48); }

/// Adds a second symbol to each look that has space for it.
static void pair(struct code *code) {
    // A copy, since a look that is a pair already no longer shows its first symbol alone.
    symbols single[1 << look];
    memcpy(single, code->quick, sizeof single);
    for (uint32_t at = 0; at < 1u << look; at++) {
        symbols first = single[at];
        int length = length_of(first);
        if (!length || move_of_first(first) == DCTSIZE2) continue;
        symbols second = single[at << length & ((1u << look) - 1)];
        if (!length_of(second) || length + length_of(second) > look) continue;
        code->quick[at] = (first & ~UINT64_C(0xFF)) | (uint64_t)(length + length_of(second)) | (uint64_t)move_of_first(second) << 24 |
                          (uint64_t)(uint16_t)value_of_first(second) << 48;
    }
}

/// ITU T.81 §C.2.
/// - Returns: 0 for a table that is no code.
static int make_code(struct code *code, const JHUFF_TBL *table, int is_dc) {
    if (!table) return 0;
    memset(code, 0, sizeof *code);
    code->is_dc = is_dc;
    uint32_t next = 0;
    int index = 0;
    for (int length = 1; length <= 16; length++) {
        code->offset[length] = index - (int)next;
        for (int i = 0; i < table->bits[length]; i++, index++, next++) {
            if (index >= 256 || next >= 1u << length) return 0;
            int name = table->huffval[index];
            if (is_dc && name > 15) return 0;
            code->names[index] = (uint8_t)name;
            if (length + (name & 15) > look) continue;
            // All looks that begin with this code.
            uint32_t first = next << (look - length);
            for (uint32_t rest = 0; rest < 1u << (look - length); rest++)
                code->quick[first + rest] = make_symbol(name, length, (uint64_t)(first + rest) << (64 - look) << length, is_dc);
        }
        code->end[length] = next << (16 - length);
        next <<= 1;
    }
    code->end[17] = UINT32_MAX;
    if (!is_dc) pair(code);
    return 1;
}

/// Reads a symbol that is longer than `look` with its value.
/// - Returns: 0 when there is no such code.
static __attribute__((noinline)) symbols read_long(const struct code *code, uint64_t bits) {
    uint32_t next = (uint32_t)(bits >> 48);
    int length = 1;
    while (next >= code->end[length]) length++;
    if (length > 16) return 0;
    int name = code->names[(int)(next >> (16 - length)) + code->offset[length]];
    return make_symbol(name, length, bits << length, code->is_dc);
}

/// - Returns: the symbols at the front of the bits; 0 when the data are damaged.
static inline __attribute__((always_inline)) symbols look_ahead(struct bits *bits, const struct code *code) {
    if (bits->count < most_bits) fill(bits);
    symbols found = code->quick[bits->bits >> (64 - look)];
    return __builtin_expect(!length_of(found), 0) ? read_long(code, bits->bits) : found;
}

static inline void skip(struct bits *bits, int length) {
    bits->bits <<= length;
    bits->count -= length;
}

// MARK: Blocks

static inline __attribute__((always_inline)) void add(four *sums, const struct part *part, int at, int value, int vectors) {
    const four *basis = (const four *)part->basis[at];
    for (int i = 0; i < vectors; i++) sums[i] += (float)value * basis[i];
}

/// Adds a block's coefficients to its means.
/// - Parameter vectors: four means each; 0 when the block's mean is all that counts.
/// - Returns: 0 when the data are damaged.
static inline __attribute__((always_inline)) int read_block(struct work *work, const struct part *part, int vectors, float *means) {
    // A copy, which stays in registers.
    struct bits bits = work->reader.next, before;
    symbols found = look_ahead(&bits, part->dc);
    if (!found) return 0;
    skip(&bits, length_of(found));
    work->last[part->component] += value_of_first(found);
    const struct code *ac = part->ac;
    float dc = (float)work->last[part->component];
    four sums[4];
    for (int i = 0; i < vectors; i++) sums[i] = dc * ((const four *)part->basis[0])[i];
    int at = 0, first_at;
    do {
        found = look_ahead(&bits, ac);
        if (__builtin_expect(!found, 0)) return 0;
        before = bits;
        skip(&bits, length_of(found));
        first_at = at + move_of_first(found);
        at = first_at + move_of_second(found);
        if (vectors) {
            // Without branches: a symbol without a coefficient adds 0.
            add(sums, part, first_at, value_of_first(found), vectors);
            add(sums, part, at, value_of_second(found), vectors);
        }
    } while (at < DCTSIZE2 - 1);
    if (__builtin_expect(first_at >= DCTSIZE2 - 1 && at != first_at, 0)) {
        // The block ended with the first of two symbols.
        bits = before;
        skip(&bits, length_of_first(found));
        if (vectors) add(sums, part, at, -value_of_second(found), vectors);
        found &= ~(UINT64_C(0xFFFF) << 48);
        at = first_at;
    }
    work->reader.next = bits;
    // A coefficient behind the last one.
    if ((value_of_first(found) != 0 && first_at >= DCTSIZE2) || (value_of_second(found) != 0 && at >= DCTSIZE2)) return 0;
    if (!vectors) {
        means[0] = dc * part->basis[0][0];
        return 1;
    }
    memcpy(means, sums, (size_t)vectors * sizeof(four));
    return 1;
}

static inline uint8_t sample(float value) {
    value = value > -128 ? value : -128;
    value = value < 127 ? value : 127;
    return (uint8_t)(int)(value + 128.5f);
}

/// - Parameter rows: the MCU's first sample.
/// - Returns: 0 when the data are damaged.
static int read_mcu(struct work *work, uint8_t *rows, size_t stride) {
    size_t channels = (size_t)work->channels;
    prepare_mcu(&work->reader);
    for (int i = 0; i < work->part_count; i++) {
        const struct part *part = &work->parts[i];
        uint8_t *target = rows + (size_t)part->down * stride + (size_t)part->across * channels + (size_t)part->component;
        float means[most_side * most_side];
        if (part->side == 1) {
            if (!read_block(work, part, 0, means)) return 0;
            *target = sample(means[0]);
        } else if (part->side == 2) {
            if (!read_block(work, part, 1, means)) return 0;
            target[0] = sample(means[0]);
            target[channels] = sample(means[1]);
            target[stride] = sample(means[2]);
            target[stride + channels] = sample(means[3]);
        } else {
            if (!read_block(work, part, 4, means)) return 0;
            for (size_t y = 0; y < most_side; y++)
                for (size_t x = 0; x < most_side; x++) target[y * stride + x * channels] = sample(means[y * most_side + x]);
        }
    }
    return !is_behind_end(&work->reader);
}

/// What one unit of each coefficient adds to each mean: the mean of its cosine wave (ITU T.81 §A.3.3) over the pixels of the mean.
static void make_basis(float (*basis)[most_side * most_side], const JQUANT_TBL *table, int side) {
    double means[DCTSIZE][most_side];
    int width = DCTSIZE / side;
    for (int k = 0; k < DCTSIZE; k++) {
        for (int i = 0; i < side; i++) {
            double sum = 0;
            for (int n = i * width; n < (i + 1) * width; n++) sum += cos((2 * n + 1) * k * M_PI / 16);
            means[k][i] = sum / width * (k ? 0.5 : sqrt(0.125));
        }
    }
    for (int at = 0; at < DCTSIZE2; at++) {
        int row = natural[at] / DCTSIZE, column = natural[at] % DCTSIZE;
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                basis[at][y * side + x] = (float)(means[row][y] * means[column][x] * table->quantval[natural[at]]);
    }
}

// MARK: Pictures

/// - Returns: how many blocks an MCU has along one side for each block of colour: 1 or 2; 0 for a picture that libjpeg must decode.
static int colour_blocks(const struct jpeg_decompress_struct *decoder) {
    if (decoder->progressive_mode || decoder->arith_code || decoder->data_precision != 8) return 0;
    if (decoder->comps_in_scan != decoder->num_components) return 0;
    if (decoder->Ss != 0 || decoder->Se != DCTSIZE2 - 1 || decoder->Ah != 0 || decoder->Al != 0) return 0;
    if (decoder->num_components == 1) return decoder->jpeg_color_space == JCS_GRAYSCALE;
    if (decoder->num_components != 3 || decoder->jpeg_color_space != JCS_YCbCr) return 0;
    for (int i = 0; i < 3; i++) {
        const jpeg_component_info *component = decoder->cur_comp_info[i];
        int factor = i == 0 ? decoder->comp_info[0].h_samp_factor : 1;
        if (component != &decoder->comp_info[i] || component->h_samp_factor != factor || component->v_samp_factor != factor) return 0;
    }
    int factor = decoder->comp_info[0].h_samp_factor;
    return factor <= 2 ? factor : 0;
}

static int prepare(struct work *work, const struct jpeg_decompress_struct *decoder, int blocks, int side) {
    work->channels = decoder->num_components;
    for (int i = 0; i < decoder->num_components; i++) {
        const jpeg_component_info *component = decoder->cur_comp_info[i];
        int dc = component->dc_tbl_no, ac = component->ac_tbl_no, quant = component->quant_tbl_no;
        if (dc < 0 || dc >= NUM_HUFF_TBLS || ac < 0 || ac >= NUM_HUFF_TBLS || quant < 0 || quant >= NUM_QUANT_TBLS) return 0;
        if (!decoder->quant_tbl_ptrs[quant]) return 0;
        if (!make_code(&work->dc[dc], decoder->dc_huff_tbl_ptrs[dc], 1)) return 0;
        if (!make_code(&work->ac[ac], decoder->ac_huff_tbl_ptrs[ac], 0)) return 0;
        // A block of colour in half resolution covers four blocks of luma.
        int count = i == 0 ? blocks : 1, means = i == 0 ? side : side * blocks;
        make_basis(work->basis[i], decoder->quant_tbl_ptrs[quant], means);
        for (int block = 0; block < count * count; block++)
            work->parts[work->part_count++] = (struct part){
                .dc = &work->dc[dc], .ac = &work->ac[ac], .basis = work->basis[i], .side = means,
                .across = block % count * means, .down = block / count * means, .component = i};
    }
    return 1;
}

static int read_picture(
    struct work *work, const struct jpeg_decompress_struct *decoder, int mcu_side, int square, huffman_row take, void *context) {
    int across = ((int)decoder->image_width + mcu_side * square - 1) / (mcu_side * square);
    int height = ((int)decoder->image_height + square - 1) / square;
    size_t stride = (size_t)across * (size_t)mcu_side * (size_t)work->channels;
    uint8_t *rows = malloc(stride * (size_t)mcu_side);
    if (!rows) return 0;
    unsigned int until_restart = decoder->restart_interval;
    uint8_t restart = 0xD0;
    for (int y = 0; y < height; y += mcu_side) {
        for (int x = 0; x < across; x++) {
            if (decoder->restart_interval && until_restart-- == 0) {
                if (!take_marker(&work->reader, restart)) goto damaged;
                restart = restart == 0xD7 ? 0xD0 : restart + 1;
                memset(work->last, 0, sizeof work->last);
                until_restart = decoder->restart_interval - 1;
            }
            if (!read_mcu(work, rows + (size_t)x * (size_t)(mcu_side * work->channels), stride)) goto damaged;
        }
        for (int row = 0; row < mcu_side && y + row < height; row++) take(context, rows + (size_t)row * stride);
    }
    free(rows);
    return take_marker(&work->reader, 0xD9);
damaged:
    free(rows);
    return 0;
}

int huffman_means(
    const struct jpeg_decompress_struct *decoder, const uint8_t *bytes, size_t length, int square, huffman_row take, void *context) {
    int blocks = colour_blocks(decoder), side = DCTSIZE / square;
    if (!blocks || (square != 4 && square != 8)) return 1;
    struct work *work = calloc(1, sizeof *work);
    if (!work) return 1;
    work->reader.source = bytes;
    work->reader.source_end = bytes + length;
    work->reader.next.at = work->reader.end = work->reader.buffer;
    int is_done = prepare(work, decoder, blocks, side) && read_picture(work, decoder, side * blocks, square, take, context);
    free(work);
    return is_done ? 0 : 1;
}
