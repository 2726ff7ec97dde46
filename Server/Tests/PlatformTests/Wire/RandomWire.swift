import Foundation
import KeepsakeWire
import TestKit

/// Random payloads. Each optional value is missing half of the time, and some characters of texts must be escaped in JSON.
struct RandomWire {
    var random: SplitMix64

    mutating func text() -> String {
        let pieces: [String] = [
            "\"", "\\", "/", "\u{7F}", "\u{2028}", "\u{2029}", "é", "e\u{301}", "\u{301}", "👩‍👩‍👧", "🇩🇪", "ß", "plain", " ", "", "\u{FEFF}",
            "\u{FFFD}", "\u{10FFFF}", "漢字", String(repeating: "long ", count: 200),
        ]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in
            Bool.random(using: &random)
                ? pieces.randomElement(using: &random)! : String(UnicodeScalar(UInt8.random(in: 0..<0x80, using: &random)))
        }.joined()
    }

    mutating func maybe<T>(_ value: (inout Self) -> T) -> T? { Bool.random(using: &random) ? value(&self) : nil }

    mutating func list<T>(_ element: (inout Self) -> T) -> [T] {
        var list: [T] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) { list.append(element(&self)) }
        return list
    }

    mutating func integer() -> Int {
        [0, 1, -1, 9, 10, 99, 1_796_070_000_123, .max, .min, Int.random(in: .min ... .max, using: &random)].randomElement(using: &random)!
    }

    mutating func number() -> Double {
        [
            0, 1, -1.5, 12.48, 0.1, 1e-9, 1e-308, 1.7976931348623157e308, 4_294_967_296, 1e15, 123_456_789.123,
            Double.random(in: -1e6...1e6, using: &random),
        ].randomElement(using: &random)!
    }

    mutating func pagination() -> Pagination { Pagination(nextCursor: maybe { $0.text() }) }

    mutating func mood() -> MoodData {
        MoodData(
            id: text(), mood: text(), note: maybe { $0.text() }, voiceNote: maybe { $0.text() }, voiceNoteDuration: maybe { $0.number() },
            reason: maybe { $0.text() }, tags: list { $0.text() }, interests: list { $0.text() }, moodIntensity: maybe { $0.integer() },
            createdAt: integer(), imageUrls: list { $0.text() }, category: text(), groupId: maybe { $0.text() },
            files: maybe { $0.list { $0.entryFile() } })
    }

    mutating func statistics() -> MoodStatisticsResponse {
        MoodStatisticsResponse(
            count: integer(), meanIntensity: maybe { $0.number() }, moods: list { $0.tally() },
            days: list { some in
                MoodStatisticsResponse.Day(
                    date: some.text(), count: some.integer(), meanIntensity: some.maybe { $0.number() }, moods: some.list { $0.tally() })
            },
            timeZone: text())
    }

    mutating func tally() -> MoodStatisticsResponse.Tally {
        MoodStatisticsResponse.Tally(mood: text(), count: integer(), meanIntensity: maybe { $0.number() })
    }

    mutating func memory() -> MemoryData {
        MemoryData(
            id: text(), title: text(), description: maybe { $0.text() }, location: maybe { $0.text() }, tags: list { $0.text() },
            createdAt: integer(), imageUrls: list { $0.text() }, voiceNote: maybe { $0.text() }, voiceNoteDuration: maybe { $0.number() },
            category: text(), groupId: maybe { $0.text() }, files: maybe { $0.list { $0.entryFile() } })
    }

    mutating func event() -> EventData {
        EventData(
            id: text(), title: text(), description: maybe { $0.text() }, date: text(), location: maybe { $0.text() },
            tags: list { $0.text() }, createdAt: integer(), imageUrls: list { $0.text() }, voiceNote: maybe { $0.text() },
            voiceNoteDuration: maybe { $0.number() }, category: text(), groupId: maybe { $0.text() },
            files: maybe { $0.list { $0.entryFile() } })
    }

    mutating func entryFile() -> EntryFile { EntryFile(id: text(), type: text()) }

    mutating func file() -> FileData {
        FileData(
            url: text(), appUrl: text(), name: text(), size: integer(), type: text(), fileId: text(), width: maybe { $0.integer() },
            height: maybe { $0.integer() }, duration: maybe { $0.number() }, takenAt: maybe { $0.integer() },
            category: maybe { $0.text() }, title: maybe { $0.text() }, description: maybe { $0.text() },
            tags: maybe { $0.list { $0.text() } }, groupId: maybe { $0.text() }, createdAt: maybe { $0.integer() })
    }

    mutating func item() -> MediaItem {
        MediaItem(
            file: file(), takenAt: maybe { $0.integer() }, category: text(), title: maybe { $0.text() }, description: maybe { $0.text() },
            tags: list { $0.text() }, groupId: maybe { $0.text() }, createdAt: integer())
    }

    mutating func upload() -> UploadResponse {
        UploadResponse(
            success: .random(using: &random), files: list { UploadedFile(data: $0.file()) }, errors: maybe { $0.list { $0.text() } },
            groupId: maybe { $0.text() }, refused: maybe { $0.list { $0.refusedFile() } })
    }

    mutating func refusedFile() -> RefusedFile {
        RefusedFile(
            index: integer(), name: maybe { $0.text() }, field: maybe { $0.text() }, error: text(), details: text(), code: integer())
    }

    mutating func coveEvent() -> CoveEventData {
        CoveEventData(
            id: text(), name: text(), description: maybe { $0.text() }, date: date(), location: text(), coveId: text(), coveName: text(),
            coveCoverPhoto: maybe { CoverPhoto(id: $0.text(), url: $0.text()) }, hostId: text(), hostName: text(),
            rsvpStatus: RSVPStatus.allCases.randomElement(using: &random).flatMap { status in maybe { _ in status } },
            goingCount: integer(),
            createdAt: date(), coverPhoto: maybe { CoverPhoto(id: $0.text(), url: $0.text()) })
    }

    /// Multiples of an eighth of a second, which a Double represents exactly.
    mutating func date() -> Date { Date(timeIntervalSince1970: Double(Int.random(in: -1_000_000...4_000_000_000, using: &random)) / 8) }

    mutating func capsule() -> Capsule {
        Capsule(
            id: text(), userId: text(), audioURL: maybe { $0.text() }, transcription: maybe { $0.text() }, duration: number(),
            fileSize: Int64(integer()), createdAt: date(), updatedAt: date(), status: CapsuleStatus.allCases.randomElement(using: &random)!,
            metadata: maybe { some in
                CapsuleMetadata(
                    waveform: some.list { $0.number() }, language: some.maybe { $0.text() },
                    words: some.list {
                        SpokenWord(text: $0.text(), start: $0.number(), end: $0.number(), confidence: $0.maybe { $0.number() })
                    },
                    topics: some.list { $0.text() }, summary: some.maybe { $0.text() }, engine: some.text())
            })
    }

    mutating func timelineItem() -> TimelineItem {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: TimelineItem(mood: mood())
        case 1: TimelineItem(memory: memory())
        case 2: TimelineItem(event: event(), at: integer())
        case 3: TimelineItem(capsule: capsule())
        default: TimelineItem(file: item())
        }
    }

    mutating func found() -> SearchItem {
        SearchItem(
            item: timelineItem(),
            snippets: list { .init(field: $0.text(), text: $0.text(), marks: $0.list { [$0.integer(), $0.integer()] }) })
    }
}
