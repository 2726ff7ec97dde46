#include "cplatform.h"

// Processes eight bytes a step ("slicing by eight", Kounavis and Berry 2005).
static uint32_t table[8][256];

__attribute__((constructor)) static void fill(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        table[0][n] = crc;
    }
    for (uint32_t n = 0; n < 256; n++)
        for (int slice = 1; slice < 8; slice++) table[slice][n] = table[slice - 1][n] >> 8 ^ table[0][table[slice - 1][n] & 0xFF];
}

uint32_t keepsake_crc32(uint32_t before, const void *bytes, size_t length) {
    uint32_t crc = ~before;
    const unsigned char *at = bytes;
    for (; length >= 8; at += 8, length -= 8) {
        uint32_t low = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        uint32_t high = (uint32_t)at[4] | (uint32_t)at[5] << 8 | (uint32_t)at[6] << 16 | (uint32_t)at[7] << 24;
        low ^= crc;
        crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^ table[5][low >> 16 & 0xFF] ^ table[4][low >> 24]
            ^ table[3][high & 0xFF] ^ table[2][high >> 8 & 0xFF] ^ table[1][high >> 16 & 0xFF] ^ table[0][high >> 24];
    }
    for (; length > 0; at++, length--) crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xFF];
    return ~crc;
}
