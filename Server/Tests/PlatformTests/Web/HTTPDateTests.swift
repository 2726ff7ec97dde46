import Core
import Foundation
import TestKit
import Testing

@testable import Web

@Suite("Dates in HTTP headers")
struct HTTPDateTests {
    private static let now = Timestamp(seconds: 1_790_000_000)  // 2026-09-21

    @Test(
        "all three formats of RFC 9110 are read",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            // A year of two digits is at most 50 years in the future.
            ("Friday, 01-Jan-99 00:00:00 GMT", 915_148_800), ("Tuesday, 01-Jan-30 00:00:00 GMT", 1_893_456_000),
            ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800), ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ] as [(String, Int64)])
    func formats(_ text: String, _ seconds: Int64) { #expect(HTTPDate.parse(text, now: Self.now) == seconds) }

    @Test(
        "anything else is not a date",
        arguments: [
            "", "0", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 GMT ",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Thu, 30 Feb 2024 12:00:00 GMT",
            "Wed, 29 Feb 2023 12:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:+7 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:3\u{0667} GMT",
        ])
    func nonsense(_ text: String) { #expect(HTTPDate.parse(text, now: Self.now) == nil) }

    @Test("5,000 random times are written and read as Foundation does")
    func random() {
        func formatter(_ format: String) -> DateFormatter {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = format
            return formatter
        }
        let preferred = formatter("EEE, dd MMM yyyy HH:mm:ss 'GMT'")
        let asctime = formatter("EEE MMM d HH:mm:ss yyyy")
        var random = SplitMix64(seed: 18)
        for _ in 0..<5_000 {
            // Random dates from the year 1600, after the change to the Gregorian calendar, to the year 9999.
            let seconds = Int64.random(in: -11_670_000_000...253_402_300_799, using: &random)
            let date = Date(timeIntervalSince1970: Double(seconds))
            let text = HTTPDate.format(seconds: seconds)
            #expect(text == preferred.string(from: date))
            #expect(HTTPDate.parse(text, now: Self.now) == seconds)
            let old = asctime.string(from: date).split(separator: " ")
            let day = old[2].count == 1 ? " \(old[2])" : "\(old[2])"
            #expect(HTTPDate.parse("\(old[0]) \(old[1]) \(day) \(old[3]) \(old[4])", now: Self.now) == seconds)
        }
    }

    @Test("a time outside the years 1 to 9999 is written as the nearest time in them")
    func extremes() {
        #expect(HTTPDate.format(seconds: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.format(seconds: .min) == "Mon, 01 Jan 0001 00:00:00 GMT")
    }
}
