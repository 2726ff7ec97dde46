#ifndef KEEPSAKE_CPHONE_H
#define KEEPSAKE_CPHONE_H

#include <stddef.h>

// Google's libphonenumber with a C interface. These functions are the whole of libkeepsake-phone.so. Module Phone loads it when the first
// phone number is read, and declares their types again. Several threads may call them at the same time.

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a phone number and writes it in E.164, without a terminating NUL.
/// - text: UTF-8 without NUL, `length` bytes.
/// - region: the country in whose form a number without a country code is read, as two capital letters; "ZZ" for none.
/// Returns the number of bytes written; -1 when the text is not a possible phone number, or does not fit into `capacity` bytes.
long keepsake_phone_e164(
    const char *_Nonnull text, size_t length, const char *_Nonnull region, char *_Nonnull out, size_t capacity);

/// Writes the country of `text`, a number in E.164, as two capital letters, without a terminating NUL. A number that fits no country's
/// numbering plan belongs to the main country of its country code.
/// Returns 2; -1 when the number belongs to no country.
long keepsake_phone_region(const char *_Nonnull text, size_t length, char *_Nonnull out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
