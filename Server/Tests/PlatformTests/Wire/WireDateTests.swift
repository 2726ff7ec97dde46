import Foundation
import KeepsakeWire
import Testing

@Suite("Dates in JSON")
struct WireDateTests {
    @Test("ten thousand dates over eight thousand years are written as Foundation writes them, and read back")
    func againstFoundation() throws {
        var generator = SystemRandomNumberGenerator()
        let formatter = ISO8601DateFormatter()
        for _ in 0..<10_000 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
            let microseconds = seconds * 1_000_000 + Int64.random(in: 0..<1_000_000, using: &generator)
            let whole = WireDate.format(microseconds: microseconds, .wholeSeconds)
            // Foundation uses the Julian calendar before 1582.
            if seconds > -12_219_292_800 { #expect(formatter.string(from: Date(timeIntervalSince1970: Double(seconds))) == whole) }
            #expect(WireDate.parseMicroseconds(WireDate.format(microseconds: microseconds, .microseconds)) == microseconds)
        }
    }

    @Test("each surface has its own number of fractional digits")
    func digits() throws {
        let date = Date(timeIntervalSince1970: 1_737_979_200.000_001)
        for (surface, text) in [
            (Surface.capsules, "2025-01-27T12:00:00.000001Z"), (.multimedia, "2025-01-27T12:00:00.000Z"),
            (.coves, "2025-01-27T12:00:00.000Z"),
            (.chat, "2025-01-27T12:00:00Z"),
        ] {
            #expect(String(decoding: try surface.makeEncoder().encode([date]), as: UTF8.self) == #"["\#(text)"]"#)
        }
    }

    @Test(
        "all usual formats of a date are read",
        arguments: [
            "2026-12-31T20:00:00Z", "2026-12-31T20:00:00.000Z", "2026-12-31T20:00:00.0000009Z", "2026-12-31t20:00:00z",
            "2026-12-31 20:00:00",
            "2026-12-31T22:30:00+02:30", "2026-12-31T15:00:00-0500", "2026-12-31T20:00Z", "2026-12-31T21:00:00+01",
            "2026-12-31T20:00:00,000Z",
        ])
    func spellings(text: String) {
        #expect(WireDate.parseMicroseconds(text) == 1_798_747_200_000_000)
    }

    @Test(
        "an invalid date is refused",
        arguments: [
            "", "2026", "2026-12-31", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-12-31T24:00:00Z", "2026-12-31T20:60:00Z",
            "2026-12-31T20:00:61Z", "2026-12-31T20:00:00.Z", "2026-12-31T20:00:00ZZ", "2026-12-31T20:00:00+25:00", "2026-12-31T20:00:00 Z",
            "٢٠٢٦-12-31T20:00:00Z", "2026-12-31T20:00:00+", "20261231T200000Z",
        ])
    func refused(text: String) {
        #expect(WireDate.parseMicroseconds(text) == nil)
    }
}
