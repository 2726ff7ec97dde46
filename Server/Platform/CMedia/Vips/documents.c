#define _GNU_SOURCE
#include "cmedia_vips.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

// MARK: - Inflating

struct media_inflation {
    z_stream stream;
};

struct media_inflation *media_inflate_start(void) {
    struct media_inflation *inflation = calloc(1, sizeof *inflation);
    // A negative value selects raw data, because an entry of an archive has neither zlib's header nor its checksum.
    if (inflation && inflateInit2(&inflation->stream, -MAX_WBITS) != Z_OK) {
        free(inflation);
        return NULL;
    }
    return inflation;
}

long media_inflate(
    struct media_inflation *inflation, const uint8_t *input, size_t count, size_t *used, uint8_t *output, size_t capacity, int *ended) {
    if (count > UINT32_MAX || capacity > UINT32_MAX) return -1;
    z_stream *stream = &inflation->stream;
    stream->next_in = (Bytef *)input;
    stream->avail_in = (uInt)count;
    stream->next_out = output;
    stream->avail_out = (uInt)capacity;
    int code = inflate(stream, Z_NO_FLUSH);
    *used = count - stream->avail_in;
    *ended = code == Z_STREAM_END;
    // Z_BUF_ERROR means that zlib needs more input or more space for output, which is not a failure.
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? (long)(capacity - stream->avail_out) : -1;
}

void media_inflate_end(struct media_inflation *inflation) {
    if (!inflation) return;
    inflateEnd(&inflation->stream);
    free(inflation);
}

// MARK: - Text

/// Whether this is a control character that no text contains: any other than tab, line feed, form feed and carriage return.
static int is_control(uint32_t c) { return (c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r') || c == 0x7F; }

static int is_utf16(const uint8_t *bytes, size_t count, int high) {
    if (count % 2 != 0) return 0;
    for (size_t i = 2; i < count; i += 2) {
        uint32_t unit = bytes[i + high] | (uint32_t)bytes[i + 1 - high] << 8;
        if (is_control(unit)) return 0;
        if (unit >= 0xDC00 && unit < 0xE000) return 0;
        if (unit >= 0xD800 && unit < 0xDC00) {
            if (i + 4 > count) return 0;
            i += 2;
            uint32_t next = bytes[i + high] | (uint32_t)bytes[i + 1 - high] << 8;
            if (next < 0xDC00 || next >= 0xE000) return 0;
        }
    }
    return 1;
}

/// The length of the UTF-8 sequence at `bytes`, where `count` bytes can be read; 0 when it is not valid (RFC 3629 §4).
static size_t sequence(const uint8_t *bytes, size_t count) {
    uint8_t first = bytes[0], low = 0x80, high = 0xBF;
    size_t length;
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) length = 2;
    else if (first >= 0xE0 && first <= 0xEF) length = 3;
    else if (first >= 0xF0 && first <= 0xF4) length = 4;
    else return 0;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
    if (count < length || bytes[1] < low || bytes[1] > high) return 0;
    for (size_t i = 2; i < length; i++)
        if (bytes[i] < 0x80 || bytes[i] > 0xBF) return 0;
    return length;
}

void media_forget_pages(const void *bytes, size_t length) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)bytes + page - 1) / page * page, end = ((uintptr_t)bytes + length) / page * page;
    // The pages stay in the page cache, and are mapped again when they are read.
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

enum media_text media_text_form(const uint8_t *bytes, size_t count) {
    enum { forgotten = 8 << 20 };
    if (count >= 2 && bytes[0] == 0xFF && bytes[1] == 0xFE) return is_utf16(bytes, count, 0) ? media_text_utf16_little : media_text_none;
    if (count >= 2 && bytes[0] == 0xFE && bytes[1] == 0xFF) return is_utf16(bytes, count, 1) ? media_text_utf16_big : media_text_none;
    int is_utf8 = 1;
    size_t i = 0, kept = 0;
    while (i < count) {
        size_t end = count - i > forgotten ? i + forgotten : count;
        while (i < end) {
            uint8_t byte = bytes[i];
            if (byte < 0x80) {
                if (is_control(byte)) return media_text_none;
                i++;
                continue;
            }
            size_t length = is_utf8 ? sequence(bytes + i, count - i) : 0;
            if (length == 0) {
                // The text is not UTF-8, so it can only be Windows-1252, which does not define five bytes. The earlier bytes may contain
                // one.
                if (is_utf8) {
                    for (size_t k = 0; k < i; k++)
                        if (bytes[k] == 0x81 || bytes[k] == 0x8D || bytes[k] == 0x8F || bytes[k] == 0x90 || bytes[k] == 0x9D) return media_text_none;
                    is_utf8 = 0;
                }
                if (byte == 0x81 || byte == 0x8D || byte == 0x8F || byte == 0x90 || byte == 0x9D) return media_text_none;
                length = 1;
            }
            i += length;
        }
        media_forget_pages(bytes + kept, end - kept);
        kept = end;
    }
    return is_utf8 ? media_text_utf8 : media_text_windows_1252;
}
