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

    @Test("the last microsecond of the year 9999 is written with a year of four digits")
    func last() throws {
        let text = "9999-12-31T23:59:59.999999Z"
        let date = try #require(WireDate.parse(text))
        #expect(WireDate.format(date, .microseconds) == text)
        #expect(WireDate.format(date, .milliseconds) == "9999-12-31T23:59:59.999Z")
    }

    @Test(
        "the dates of damaged rows are written as some date",
        arguments: [Double(Int64.max), Double(Int64.min), .infinity, -.infinity, .nan])
    func impossible(_ microseconds: Double) {
        #expect(WireDate.format(Date(timeIntervalSince1970: microseconds / 1_000_000), .wholeSeconds).hasSuffix("Z"))
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

    @Test("numbers and texts of surface 0 are dates too, to the millisecond, and their JSON is as before")
    func entries() throws {
        let date = Date(timeIntervalSince1970: 1_737_979_200.123)
        let file = MediaItem(
            file: FileData(url: "u", appUrl: "u", name: "n", size: 1, type: "image/jpeg", fileId: "f"), takenAt: -1, category: "general",
            title: nil, description: nil, tags: [], groupId: nil, createdAt: 1_737_979_200_123)
        #expect(FileData(file).createdDate == date && FileData(file).takenDate == file.takenDate)
        #expect(file.createdDate == date && file.takenDate == Date(timeIntervalSince1970: -0.001))
        let mood = MoodData(
            id: "m", mood: "calm", note: nil, voiceNote: nil, voiceNoteDuration: nil, reason: nil, tags: [], interests: [],
            moodIntensity: nil, createdAt: 1_737_979_200_123, imageUrls: [], category: "general", groupId: nil)
        #expect(mood.createdDate == date && TimelineItem(mood: mood).date == date)
        let memory = MemoryData(
            id: "m", title: "t", description: nil, location: nil, tags: [], createdAt: 1_737_979_200_123, imageUrls: [], voiceNote: nil,
            voiceNoteDuration: nil, category: "general", groupId: nil)
        #expect(memory.createdDate == date)
        var event = EventData(
            id: "e", title: "t", description: nil, date: "2025-01-27T12:00:00.123Z", location: nil, tags: [], createdAt: 0, imageUrls: [],
            voiceNote: nil, voiceNoteDuration: nil, category: "general", groupId: nil)
        #expect(event.eventDate == date && event.createdDate == Date(timeIntervalSince1970: 0))
        event.date = "soon"
        #expect(event.eventDate == nil)
        #expect(AskSource(kind: "mood", id: "m", at: 1_737_979_200_123, text: "t", marks: []).date == date)
        let archive = MediaArchiveResponse(archiveId: "a", url: "u", count: 1, size: 1, expiresAt: 1_737_979_200_123)
        #expect(archive.expiryDate == date)
        let json = String(decoding: try Surface.multimedia.makeEncoder().encode(file), as: UTF8.self)
        #expect(json.contains(#""takenAt":-1"#) && !json.contains("Date"), "\(json)")
    }
}
