import Foundation
import KeepsakeWire
import WireJSON

/// A payload with a golden file that contains its JSON.
struct WireSample: Sendable, CustomStringConvertible {
    /// The name of the golden file without `.json`.
    let name: String
    let written: @Sendable () throws -> Data
    let encoded: @Sendable () throws -> Data
    /// Whether a client decodes the same value from these bytes.
    let isRead: @Sendable (Data) throws -> Bool

    var description: String { name }

    init<T: JSONWritable & Codable & Equatable & Sendable>(_ name: String, _ value: T) {
        self.name = name
        written = { try value.withJSON { Data($0) } }
        encoded = { try Surface.multimedia.makeEncoder().encode(value) }
        isRead = { try Surface.multimedia.makeDecoder().decode(T.self, from: $0) == value }
    }

    func golden() throws -> Data {
        try Data(contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name).json"))
    }

    // MARK: Values

    static let all = [
        WireSample("mood", MoodResponse(mood: full)),
        WireSample("moods", MoodListResponse(moods: [full, least], pagination: Pagination(nextCursor: "MTc5.c2ln"))),
        WireSample("memory", MemoryResponse(memory: memory)),
        WireSample("memories", MemoryListResponse(memories: [memory, leastMemory], pagination: Pagination(nextCursor: nil))),
        WireSample("event", EventResponse(event: event)),
        WireSample("events", EventListResponse(events: [event, leastEvent], pagination: Pagination(nextCursor: nil))),
        WireSample("upload", UploadResponse(files: [UploadedFile(data: labelled)], errors: nil, groupId: nil)),
        WireSample(
            "upload-partial",
            UploadResponse(
                files: [UploadedFile(data: film)], errors: ["b.txt: not a picture or a film"], groupId: "g-1",
                refused: [
                    RefusedFile(
                        index: 1, name: "b.txt", field: "file", error: "Unprocessable Entity", details: "not a picture or a film", code: 422
                    )
                ])),
        WireSample(
            "upload-refused",
            MultimediaErrorBody(
                error: "Unprocessable Entity", details: "a.txt: not a picture b.txt: empty", code: 422,
                refused: [
                    RefusedFile(
                        index: 0, name: "a.txt", field: "file", error: "Unprocessable Entity", details: "not a picture", code: 422),
                    RefusedFile(index: 1, name: nil, field: "file", error: "Unprocessable Entity", details: "empty", code: 422),
                ])),
        WireSample("file", MediaResponse(file: item)),
        WireSample("files", MediaListResponse(files: [item, leastItem], pagination: Pagination(nextCursor: nil))),
        WireSample(
            "timeline",
            TimelineResponse(
                items: [
                    TimelineItem(mood: least), TimelineItem(memory: leastMemory), TimelineItem(event: leastEvent, at: 1_798_747_200_000),
                    TimelineItem(file: leastItem),
                ], pagination: Pagination(nextCursor: "MTc5.c2ln"))),
        WireSample(
            "search",
            SearchResponse(
                items: [
                    SearchItem(
                        item: TimelineItem(mood: least),
                        snippets: [
                            .init(field: "note", text: "am Müggelsee, am See", marks: [[3, 9], [17, 3]]),
                            .init(field: "tags", text: "", marks: []),
                        ]),
                    SearchItem(item: TimelineItem(file: leastItem), snippets: []),
                ], pagination: Pagination(nextCursor: nil))),
        WireSample("deleted", SuccessResponse()),
        WireSample("capsules", CapsuleList(capsules: [capsule, leastCapsule], nextCursor: nil)),
    ]

    private static let link = "https://k.example/api/users/user/u-1/multimedia/files/"

    private static let capsule = Capsule(
        id: "c-1", userId: "u-1", audioURL: link + "v-1?expires=1&signature=s", transcription: "Am See.\nEs war kalt.", duration: 12.48,
        fileSize: 399_404, createdAt: Date(timeIntervalSince1970: 1_796_066_400.123), updatedAt: Date(timeIntervalSince1970: 1_796_066_407),
        status: .completed,
        metadata: CapsuleMetadata(
            waveform: [0, 0.5, 1], language: "de",
            words: [
                SpokenWord(text: "Am", start: 0.1, end: 0.25, confidence: 0.98),
                SpokenWord(text: "See.", start: 0.3, end: 1, confidence: nil),
            ], topics: ["kalt"], summary: "Es war kalt.", engine: "openai"))
    private static let leastCapsule = Capsule(
        id: "c-2", userId: "u-1", audioURL: nil, transcription: nil, duration: 30.5, fileSize: 122_880,
        createdAt: Date(timeIntervalSince1970: 1_737_979_200), updatedAt: Date(timeIntervalSince1970: 1_737_979_200), status: .uploading,
        metadata: nil)

    private static let full = MoodData(
        id: "m-1", mood: "happy", note: "Ein \"schöner\" Tag\n\tam See \\ 🌊\u{2028}\u{1}", voiceNote: link + "v-1?expires=1&signature=s",
        voiceNoteDuration: 12.48, reason: "a/b", tags: ["summer", "Grüße"], interests: ["music"], moodIntensity: 8,
        createdAt: 1_796_070_000_123, imageUrls: [link + "p-1?expires=1&signature=s", link + "p-2?expires=1&signature=s"],
        category: "general", groupId: "g-1",
        files: [
            EntryFile(id: "p-1", type: "image/jpeg"), EntryFile(id: "p-2", type: "video/mp4"), EntryFile(id: "v-1", type: "audio/mp4"),
        ])
    private static let least = MoodData(
        id: "m-2", mood: "calm", note: nil, voiceNote: nil, voiceNoteDuration: nil, reason: nil, tags: [], interests: [],
        moodIntensity: nil, createdAt: 0, imageUrls: [], category: "general", groupId: nil)

    private static let memory = MemoryData(
        id: "e-1", title: "Hiddensee", description: "Wind", location: "Kloster", tags: ["sea"], createdAt: 1_796_070_000_123,
        imageUrls: [link + "p-1?expires=1&signature=s"], voiceNote: link + "v-1?expires=1&signature=s", voiceNoteDuration: 3,
        category: "travel", groupId: "g-1",
        files: [EntryFile(id: "p-1", type: "image/jpeg"), EntryFile(id: "v-1", type: "audio/mp4")])
    private static let leastMemory = MemoryData(
        id: "e-2", title: "t", description: nil, location: nil, tags: [], createdAt: 1, imageUrls: [], voiceNote: nil,
        voiceNoteDuration: nil, category: "general", groupId: nil)

    private static let event = EventData(
        id: "v-1", title: "New Year", description: "Bring glasses", date: "2026-12-31T20:00:00.000Z", location: "Berlin", tags: ["party"],
        createdAt: 1_796_070_000_123, imageUrls: [link + "p-1?expires=1&signature=s"], voiceNote: link + "v-1?expires=1&signature=s",
        voiceNoteDuration: 0.5, category: "family", groupId: "g-1",
        files: [EntryFile(id: "p-1", type: "image/jpeg"), EntryFile(id: "v-1", type: "audio/mp4")])
    private static let leastEvent = EventData(
        id: "v-2", title: "t", description: nil, date: "2026-12-31T20:00:00.000Z", location: nil, tags: [], createdAt: 1, imageUrls: [],
        voiceNote: nil, voiceNoteDuration: nil, category: "general", groupId: nil)

    private static let labelled = FileData(
        url: link + "p-1?expires=1&signature=s", appUrl: link + "p-1", name: "strand.jpg", size: 2_200_000, type: "image/jpeg",
        fileId: "p-1", width: 4_000, height: 3_000, takenAt: 1_796_000_000_000, category: "travel", title: "Strand",
        description: "morgens", tags: ["sea", "wind"], groupId: "g-1", createdAt: 1_796_070_000_123)
    private static let film = FileData(
        url: link + "p-2?expires=1&signature=s", appUrl: link + "p-2", name: "film.mp4", size: 50_000_000, type: "video/mp4",
        fileId: "p-2", width: 1_920, height: 1_080, duration: 8.25)
    private static let item = MediaItem(
        file: film, takenAt: 1_796_000_000_000, category: "travel", title: "Strand", description: "morgens", tags: ["sea", "wind"],
        groupId: "g-1", createdAt: 1_796_070_000_123)
    private static let leastItem = MediaItem(
        file: FileData(url: link + "p-3", appUrl: link + "p-3", name: "a.mp3", size: 0, type: "audio/mpeg", fileId: "p-3"),
        category: "general", title: nil, description: nil, tags: [], groupId: nil, createdAt: 1)
}
