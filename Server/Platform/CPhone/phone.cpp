#include "cphone.h"

#include <phonenumbers/phonenumberutil.h>

#include <cstring>
#include <string>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

// CLDR's code for an unknown region. Numbers without a country code are not valid in it.
constexpr const char *unknown_region = "ZZ";

long write(const std::string &text, char *out, size_t capacity) {
    if (text.size() > capacity) return -1;
    std::memcpy(out, text.data(), text.size());
    return static_cast<long>(text.size());
}

enum class Strictness {
    // The length fits the country. A local number without its area code is not possible: nobody elsewhere could dial it.
    possible,
    // The number is possible, and lies in a range that was assigned before the library's release.
    valid,
};

bool parse(const std::string &text, const char *region, Strictness strictness, PhoneNumber *number) {
    const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
    if (util->Parse(text, region, number) != PhoneNumberUtil::NO_PARSING_ERROR) return false;
    return strictness == Strictness::valid ? util->IsValidNumber(*number)
                                           : util->IsPossibleNumberWithReason(*number) == PhoneNumberUtil::IS_POSSIBLE;
}

// Reads a number and writes it in E.164. The result must read as itself, so that one number has one text. Otherwise, 0046393 in Australia
// would become +61046393, which reads as +6146393.
bool read(const std::string &text, const char *region, Strictness strictness, std::string *e164) {
    const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
    PhoneNumber number;
    if (!parse(text, region, strictness, &number)) return false;
    util->Format(number, PhoneNumberUtil::E164, e164);
    PhoneNumber again;
    if (!parse(*e164, unknown_region, Strictness::possible, &again)) return false;
    std::string same;
    util->Format(again, PhoneNumberUtil::E164, &same);
    return same == *e164;
}

// Most countries dial 00 before a country code (ITU-T E.123), and people in other countries write it as well. In those other countries, 00
// may also begin a possible number of the country. So a valid reading is preferred to one that is only possible.
bool read_double_zero(const std::string &text, const char *region, std::string *e164) {
    const size_t start = text.find_first_not_of(" (");
    if (start == std::string::npos || text.compare(start, 2, "00") != 0) return false;
    const std::string international = "+" + text.substr(start + 2);
    return read(text, region, Strictness::valid, e164) || read(international, unknown_region, Strictness::valid, e164)
        || read(text, region, Strictness::possible, e164) || read(international, unknown_region, Strictness::possible, e164);
}

} // namespace

// No exception may leave a C function. The library throws none of its own; std::string throws when memory is short.

long keepsake_phone_e164(const char *text, size_t length, const char *region, char *out, size_t capacity) try {
    const std::string input(text, length);
    std::string e164;
    const bool is_read = read_double_zero(input, region, &e164) || read(input, region, Strictness::possible, &e164);
    return is_read ? write(e164, out, capacity) : -1;
} catch (...) {
    return -1;
}

long keepsake_phone_region(const char *text, size_t length, char *out, size_t capacity) try {
    PhoneNumber number;
    if (!parse(std::string(text, length), unknown_region, Strictness::possible, &number)) return -1;
    const PhoneNumberUtil *util = PhoneNumberUtil::GetInstance();
    std::string region;
    util->GetRegionCodeForNumber(number, &region);
    if (region == unknown_region) util->GetRegionCodeForCountryCode(number.country_code(), &region);
    // "001" stands for the whole world: a number such as +800… belongs to no country.
    return region.size() == 2 && region != unknown_region ? write(region, out, capacity) : -1;
} catch (...) {
    return -1;
}
