import Foundation
import Hummingbird
import KeepsakeWire
import NIOCore
import TestKit
import Testing

@testable import Web
@testable import WireJSON

@Suite("JSON writers of hot lists")
struct JSONWriterTests {
    /// The type's own writer and Foundation's encoder must write equal JSON: the same keys, the same `null`s and the same values.
    private func expectSame<T: JSONWritable & Codable & Equatable>(_ value: T, _ location: SourceLocation = #_sourceLocation) throws {
        let written = try value.withJSON { Data($0) }
        let encoded = try Surface.multimedia.makeEncoder().encode(value)
        let decoder = JSONDecoder()
        let same = try decoder.decode(JSONValue.self, from: written) == decoder.decode(JSONValue.self, from: encoded)
        #expect(same, "\(String(decoding: written, as: UTF8.self))\n\(String(decoding: encoded, as: UTF8.self))", sourceLocation: location)
        #expect(try decoder.decode(T.self, from: written) == value, sourceLocation: location)
        // Foundation's parser accepts only valid JSON (RFC 8259).
        #expect(throws: Never.self, sourceLocation: location) { try JSONSerialization.jsonObject(with: written) }
    }

    @Test("JSON above its limit is not kept, but its length is known", arguments: ["a", "\u{1}"])
    func tooLong(_ character: String) throws {
        let body = MessageErrorBody(message: String(repeating: character, count: 10_000))
        let whole = try body.withJSON { $0.count }
        let atLimit = try body.withJSON(expecting: 64, most: whole + 16) { $0.count }
        #expect(atLimit == whole)
        let error = #expect(throws: JSONWriter.TooLong.self) { try body.withJSON(expecting: 64, most: 5_000) { $0.count } }
        #expect(error?.byteCount == whole)
    }

    @Test("every payload equals the JSON of Foundation's encoder, for random values", arguments: 0..<60 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var some = RandomWire(random: SplitMix64(seed: seed))
        let (mood, memory, event, item) = (some.mood(), some.memory(), some.event(), some.item())
        try expectSame(mood)
        try expectSame(MoodResponse(mood: mood))
        try expectSame(MoodListResponse(moods: some.list { $0.mood() }, pagination: some.pagination()))
        try expectSame(some.statistics())
        try expectSame(memory)
        try expectSame(MemoryResponse(memory: memory))
        try expectSame(MemoryListResponse(memories: some.list { $0.memory() }, pagination: some.pagination()))
        try expectSame(event)
        try expectSame(EventResponse(event: event))
        try expectSame(EventListResponse(events: some.list { $0.event() }, pagination: some.pagination()))
        try expectSame(item)
        try expectSame(some.file())
        try expectSame(some.upload())
        try expectSame(MediaResponse(file: item))
        try expectSame(MediaListResponse(files: some.list { $0.item() }, pagination: some.pagination()))
        try expectSame(some.timelineItem())
        try expectSame(TimelineResponse(items: some.list { $0.timelineItem() }, pagination: some.pagination()))
        try expectSame(some.found())
        let capsule = some.capsule()
        try expectSame(capsule)
        try expectSame(CapsuleUpload(capsule: capsule, uploadURL: some.maybe { $0.text() }))
        try expectSame(CapsuleList(capsules: some.list { $0.capsule() }, nextCursor: some.maybe { $0.text() }))
        try expectSame(
            CapsuleTranscription(
                capsuleId: some.text(), status: capsule.status, transcription: capsule.transcription, language: some.maybe { $0.text() },
                engine: some.maybe { $0.text() }, words: capsule.metadata?.words ?? []))
        try expectSame(SearchResponse(items: some.list { $0.found() }, pagination: some.pagination()))
        try expectSame(some.pagination())
        try expectSame(SuccessResponse())
        try expectSame(
            MultimediaErrorBody(
                error: some.text(), details: some.text(), code: some.integer(), refused: some.maybe { $0.list { $0.refusedFile() } }))
        try expectSame(MessageErrorBody(message: some.text()))
        try expectSame(CodedErrorBody(error: some.text(), message: some.text()))
    }

    @Test("an encoder writes the members of an object in the order of their names", arguments: Surface.allCases)
    func order(_ surface: Surface) throws {
        let answer = MediaArchiveResponse(archiveId: "a", url: "u", count: 1, size: 2, expiresAt: 3)
        let text = String(decoding: try surface.makeEncoder().encode(answer), as: UTF8.self)
        #expect(text == #"{"archiveId":"a","count":1,"expiresAt":3,"size":2,"success":true,"url":"u"}"#)
    }

    @Test("an account equals the JSON of Foundation's encoder, with its nulls and its date", arguments: 0..<60 as Range<UInt64>)
    func user(_ seed: UInt64) throws {
        var some = RandomWire(random: SplitMix64(seed: seed))
        let user = User(
            id: some.text(), email: some.maybe { $0.text() }, name: some.maybe { $0.text() }, createdAt: some.date(), isProUser: false,
            profilePictureURL: some.maybe { $0.text() }, usage: some.maybe { _ in AccountUsage(files: 2, bytes: 3_000, quota: 5_000_000) })
        let written = try user.withJSON { Data($0) }
        let encoded = try Surface.capsules.makeEncoder().encode(user)
        let decoder = JSONDecoder()
        #expect(try decoder.decode(JSONValue.self, from: written) == decoder.decode(JSONValue.self, from: encoded))
        #expect(try Surface.capsules.makeDecoder().decode(User.self, from: written) == user)
    }

    @Test("a page of a cove's events equals the JSON of Foundation's encoder, with its nulls and dates", arguments: 0..<60 as Range<UInt64>)
    func coveEvents(_ seed: UInt64) throws {
        var some = RandomWire(random: SplitMix64(seed: seed))
        let page = CoveEventsResponse(events: some.list { $0.coveEvent() }, pagination: some.pagination())
        let written = try page.withJSON { Data($0) }
        let encoded = try Surface.coves.makeEncoder().encode(page)
        let decoder = JSONDecoder()
        let same = try decoder.decode(JSONValue.self, from: written) == decoder.decode(JSONValue.self, from: encoded)
        #expect(same, "\(String(decoding: written, as: UTF8.self))\n\(String(decoding: encoded, as: UTF8.self))")
        #expect(try Surface.coves.makeDecoder().decode(CoveEventsResponse.self, from: written) == page)
    }

    @Test("a response without image URLs of its own omits the key")
    func absent() throws {
        var some = RandomWire(random: SplitMix64(seed: 7))
        var (mood, memory, event) = (
            MoodResponse(mood: some.mood()), MemoryResponse(memory: some.memory()), EventResponse(event: some.event())
        )
        mood.imageUrls = nil
        memory.imageUrls = nil
        event.imageUrls = nil
        try expectSame(mood)
        try expectSame(memory)
        try expectSame(event)
    }

    @Test("every character that needs an escape is escaped, at every position of a text", arguments: 0...17)
    func escapes(_ before: Int) throws {
        for scalar in (0...0x7F as ClosedRange<UInt8>).map(UnicodeScalar.init) {
            for after in [0, 1, 9] {
                let text =
                    String(repeating: "é", count: before / 2) + String(repeating: "a", count: before) + String(scalar)
                    + String(repeating: "z", count: after)
                let written = try MediaResponse(file: Self.item(name: text)).withJSON { Data($0) }
                #expect(try JSONDecoder().decode(MediaResponse.self, from: written).file.name == text)
                #expect(!written.contains { $0 < 0x20 })
            }
        }
    }

    @Test("a text of megabytes is written whole, with all escapes")
    func long() throws {
        let text = String(repeating: "Grüße 👋 \"\n", count: 200_000)
        let written = try Self.item(name: text).withJSON { Data($0) }
        #expect(try JSONDecoder().decode(MediaItem.self, from: written).name == text)
    }

    @Test("a number that JSON cannot represent is a 500 without a partial response", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(_ number: Double) throws {
        var item = Self.item(name: "film.mp4")
        item.duration = number
        #expect(throws: JSONWriter.NotFinite.self) { try item.withJSON { $0.count } }
        // The error boundary logs the error and answers 500; see DialectTests.
        #expect(throws: JSONWriter.NotFinite.self) { try Dialect.of(.multimedia).json(MediaResponse(file: item)) }
    }

    @Test("an array is written element by element, and a field that is not kept leaves no trace")
    func elements() throws {
        let fragment = try JSONFragment(expecting: 1) { json in
            json.field("a", elements: { _ in true })
            let dropped = json.field("b") { json in
                for _ in 0..<40 { json.element { $0.field("id", String(repeating: "x", count: 9)) } }
                return false
            }
            json.field("dropped", dropped)
            json.field("c") { json in
                for text in ["/one", "/two"] { Array(text.utf8).withUnsafeBufferPointer { json.element(unescaped: $0) } }
                json.element { $0.field("n", 1) }
                return true
            }
        }
        #expect(String(decoding: fragment.bytes, as: UTF8.self) == #"{"a":[],"dropped":false,"c":["/one","/two",{"n":1}]}"#)
    }

    @Test("a response that writes its own JSON is served like any other")
    func served() async throws {
        let page = MoodPage.make()
        let response = try Dialect.of(.multimedia).json(page)
        #expect(response.status == .ok && response.headers[.contentType] == "application/json; charset=utf-8")
        #expect(response.body.contentLength == (try page.withJSON { $0.count }))
    }

    // MARK: Golden files

    @Test("golden: the JSON of each payload does not change", arguments: WireSample.all)
    func golden(_ sample: WireSample) throws {
        let golden = try sample.golden()
        let decoder = JSONDecoder()
        let meant = try decoder.decode(JSONValue.self, from: golden)
        #expect(try decoder.decode(JSONValue.self, from: sample.written()) == meant)
        #expect(try decoder.decode(JSONValue.self, from: sample.encoded()) == meant)
        #expect(try sample.isRead(golden))
    }

    static func item(name: String) -> MediaItem {
        MediaItem(
            file: FileData(url: "u", appUrl: "a", name: name, size: 1, type: "video/mp4", fileId: "f"), category: "general", title: nil,
            description: nil, tags: [], groupId: nil, createdAt: 0)
    }
}
