import Blobs
package import Core
import Foundation
import KeepsakeWire

/// The most that one account may store.
package struct MediaQuota: Sendable {
    /// Bytes of files, rows and upload reservations together.
    package var byteCount: Int64
    package var fileCount: Int64 = 1_000_000

    package init(byteCount: Int64) { self.byteCount = byteCount }
}

/// Validation of uploads and of library fields. Pure functions.
package enum MediaRules {
    static let pictures: Set<MediaType> = [.jpeg, .png, .webp]
    static let sounds: Set<MediaType> = [.mp3, .m4a, .wav]
    static let anything: Set<MediaType> = [.jpeg, .png, .webp, .gif, .heic, .heif, .mp4, .mov]

    static let generalUpload = {
        var rules = UploadRules(
            kinds: [attachments], textFields: ["category", "title", "description", "tags", "groupId", "takenAt"],
            keepsTheOthers: true)
        rules.listFields = ["tags"]
        return rules
    }()

    /// Pictures and videos that belong to an entry: at most 10 files of 50 MB.
    static let attachments = files(
        ["file", "image"], anything, maxCount: 10, megabytes: 50, "JPEG, PNG, WebP, GIF, HEIC, MP4 and MOV")
    static let voiceNote = files(["voiceNote"], sounds, maxCount: 1, megabytes: 25, "MP3, M4A and WAV")

    /// An audio file without an entry, in the field `audio`.
    static let recording = files(["audio"], sounds, maxCount: 1, megabytes: 200, "WAV, M4A and MP3")

    /// A photo or a recording, in the field `file`.
    static let captured = files(
        ["file"], pictures.union([.heic, .heif]).union(sounds), maxCount: 1, megabytes: 50, "JPEG, PNG, WebP, HEIC, M4A, MP3 and WAV")

    static let profilePicture = UploadRules(
        kinds: [files(["file", "image"], pictures.union([.heic, .heif]), maxCount: 1, megabytes: 10, "JPEG, PNG, WebP and HEIC")],
        textFields: [], keepsTheOthers: false)

    static func picture(in members: Set<String>) -> UploadRules {
        let refusal = Problem(
            .invalid, "The picture in \(names(members)) must be a JPEG, PNG, WebP or HEIC.", field: members.min())
        let kind = files(members, pictures.union([.heic, .heif]), maxCount: 1, megabytes: 10, refusal)
        var rules = UploadRules(kinds: [kind], textFields: [], keepsTheOthers: false)
        rules.infected = .invalid
        return rules
    }

    private static func files(
        _ fields: Set<String>, _ allowed: Set<MediaType>, maxCount: Int, megabytes: Int64, _ words: String
    ) -> UploadRules.FileKind {
        files(fields, allowed, maxCount: maxCount, megabytes: megabytes, refusal(.unprocessable, words, fields))
    }

    private static func files(
        _ fields: Set<String>, _ allowed: Set<MediaType>, maxCount: Int, megabytes: Int64, _ refusal: Problem
    ) -> UploadRules.FileKind {
        UploadRules.FileKind(
            fields: fields, maxCount: maxCount, maxByteCount: megabytes * 1_048_576, windowByteCount: Sniffer.windowByteCount,
            tailByteCount: Sniffer.tailByteCount, types: Set(allowed.map(\.rawValue)), refusal: refusal,
            recognise: { head, isWhole in
                let type = Sniffer.sniff(head: head, byteCount: isWhole ? head.count : nil)
                if let type, mayBecome(type, allowed) { return nil }
                return fault(of: head, isWhole: isWhole, allowed, refusal)
            },
            conclude: { sample in
                guard let type = Sniffer.verify(head: sample.head, tail: sample.tail, byteCount: Int(sample.byteCount)),
                    mayBecome(type, allowed)
                else { throw fault(of: sample.head, isWhole: sample.byteCount == 0, allowed, refusal) }
                return type.rawValue
            })
    }

    /// Whether a file that begins as `type` may be of an allowed type. The brand of an MP4 does not tell whether it has video: Android's
    /// recorder and many libraries write audio files with the brands of films. So if M4A is allowed and MP4 is not, `MediaExaminer`
    /// decides: an MP4 without video is M4A, and any other MP4 is refused.
    private static func mayBecome(_ type: MediaType, _ allowed: Set<MediaType>) -> Bool {
        allowed.contains(type) || type == .mp4 && allowed.contains(.m4a)
    }

    /// The error for a file whose type is not accepted.
    /// - Parameters:
    ///   - words: the accepted types, as the message names them.
    ///   - fields: the names under which the request may send the file. The response names the one that it used.
    static func refusal(_ kind: Problem.Kind, _ words: String, _ fields: Set<String>) -> Problem {
        Problem(
            kind, "The content of \(names(fields)) must be one of these, whatever the file's name says: \(words).", field: fields.min())
    }

    private static func names(_ fields: Set<String>) -> String { fields.sorted().map { "`\($0)`" }.joined(separator: " or ") }

    /// The error that says why a file is refused: it is empty, it is cut off or damaged, its type is not allowed, or its type is unknown.
    /// - Parameters:
    ///   - head: the file's first bytes.
    ///   - refusal: the error for a file of an unknown type.
    static func fault(of head: [UInt8], isWhole: Bool, _ allowed: Set<MediaType>, _ refusal: Problem) -> Problem {
        var problem = refusal
        if isWhole, head.isEmpty {
            problem.message = "The file is empty."
        } else if let type = Sniffer.sniff(head: head) {
            problem.message =
                mayBecome(type, allowed)
                ? "The file is cut off or damaged: it begins as \(type.title), but the rest does not fit."
                : "The file is \(type.title). \(refusal.message)"
        }
        return problem
    }

    /// The text fields of a general upload, validated.
    struct Labels: Equatable {
        var category: String
        var title: String?
        var description: String?
        var tags: [String]
        var groupID: String?
        /// When the files were taken, if the request says so. This time takes precedence over the files' metadata.
        var takenAt: Timestamp?
    }

    static func labels(_ texts: [String: String]) throws -> Labels {
        Labels(
            category: try category(texts["category"]),
            title: try TextRules.optionalLine(texts["title"], field: "title", max: 200),
            description: try TextRules.optionalLine(texts["description"], field: "description", max: 5_000),
            tags: try tags(texts["tags"]?.commaSeparated ?? []),
            groupID: try groupID(texts["groupId"]),
            takenAt: try TextRules.optionalLine(texts["takenAt"], field: "takenAt", max: 64).map { try unixTime($0, field: "takenAt") })
    }

    /// At most 64 characters; default `general`.
    package static func category(_ text: String?) throws -> String {
        try TextRules.optionalLine(text, field: "category", max: 64) ?? "general"
    }

    package static func groupID(_ text: String?) throws -> String? {
        try TextRules.optionalLine(text, field: "groupId", max: 128)
    }

    /// At most 50 tags of at most 64 characters. Trims each, drops empty ones and duplicates, and keeps the order.
    package static func tags(_ texts: [String], field: String = "tags") throws -> [String] {
        var seen: Set<String> = []
        var tags: [String] = []
        for text in texts {
            guard let tag = try TextRules.optionalLine(text, field: field, max: 64), seen.insert(tag).inserted else { continue }
            tags.append(tag)
        }
        guard tags.count <= 50 else { throw Problem(.invalid, "\(field) has more than 50 entries.", field: field) }
        return tags
    }

    /// Seconds or milliseconds since 1970. A number whose absolute value is below 10¹¹ is in seconds: 10¹¹ seconds after 1970 is in the
    /// year 5138.
    package static func unixTime(_ number: Double, field: String) throws -> Timestamp {
        let isSeconds = abs(number) < 100_000_000_000
        let seconds = isSeconds ? number : number / 1_000
        guard seconds.isFinite, Double(years.lowerBound)..<Double(years.upperBound) ~= seconds else { throw badTime(field) }
        // The product of 1749918612.123 and 1,000 may be a little less than a whole number.
        return Timestamp(milliseconds: Int64(isSeconds ? (number * 1_000).rounded() : number.rounded(.down)))
    }

    /// - Throws: `.invalid`, also for a text that is not a number.
    package static func unixTime(_ text: String, field: String) throws -> Timestamp {
        guard let number = Double(text) else { throw badTime(field) }
        return try unixTime(number, field: field)
    }

    /// Seconds since 1970 of the years 1…9999, the range that clients' calendars and date formats support.
    package static let years: Range<Int64> = -62_135_596_800..<253_402_300_800

    private static func badTime(_ field: String) -> Problem {
        Problem(.invalid, "\(field) must be a Unix time in seconds or milliseconds, in the years 1…9999.", field: field)
    }

    static func name(_ name: String?, type: String) -> String {
        let trimmed = name.map { $0.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F } }.map {
            String(String.UnicodeScalarView($0))
        }
        guard let trimmed, !trimmed.isEmpty else { return "file." + (MediaType(rawValue: type)?.fileExtension ?? "bin") }
        return trimmed
    }
}

extension MediaType {
    fileprivate var title: String {
        switch self {
        case .jpeg: "JPEG"
        case .webp: "WebP"
        default: fileExtension.uppercased()
        }
    }
}

extension String {
    package var commaSeparated: [String] { split(separator: ",").map(String.init) }
}

/// A received file that becomes an asset.
struct NewAsset: Sendable {
    let id: String
    let blob: StagedBlob
    let name: String
    let facts: FileFacts
    let labels: MediaRules.Labels
    /// The upload reservation that covers the file's bytes until its row exists; `nil` if nothing was reserved.
    let reservation: String?
    /// Bytes of another feature's row that exists as long as the file. The file's row counts them.
    var furtherRowBytes: Int64 = 0
    /// Whether the file is on the timeline by itself, not as a part of another feature's entry.
    var isAlone = false

    /// - Parameter type: the type to store, if it is more exact than the one that the examiner found; default: the examiner's.
    init(_ file: ReceivedUpload.File, id: String, labels: MediaRules.Labels, type: String? = nil) {
        self.id = id
        blob = file.blob
        name = MediaRules.name(file.name, type: file.facts.type)
        var facts = file.facts
        if let type { facts.type = type }
        self.facts = facts
        self.labels = labels
        reservation = file.reservation
    }

    /// `nil` for a file that is not a film.
    var playback: Playback? { facts.playsInBrowsers.map { $0 ? .original : .waiting } }

    /// - Parameter zone: the time zone of the camera's clock, if the file states none.
    func asset(owner: String, blob key: BlobKey, zone: TimeZone, createdAt: Timestamp) -> Asset {
        let takenAt = labels.takenAt ?? (facts.isTakenAtLocal == true ? facts.takenAt?.local(in: zone) : facts.takenAt)
        return Asset(
            id: id, owner: owner, blob: key, name: name, type: facts.type, sha256: blob.sha256, byteCount: blob.byteCount,
            width: facts.width, height: facts.height, durationMilliseconds: facts.durationMilliseconds, takenAt: takenAt,
            category: labels.category, title: labels.title, description: labels.description, tags: labels.tags,
            groupID: labels.groupID, createdAt: createdAt)
    }
}

/// A validated update.
struct MediaChange: Sendable {
    let input: UpdateMediaInput
    private var takenAt = Change<Timestamp>.unchanged

    init(_ input: UpdateMediaInput) throws {
        var input = input
        input.title = try Self.check(input.title) { try TextRules.optionalLine($0, field: "title", max: 200) }
        input.description = try Self.check(input.description) { try TextRules.optionalLine($0, field: "description", max: 5_000) }
        input.category = try Self.check(input.category) { try MediaRules.category($0) }
        input.groupId = try Self.check(input.groupId) { try MediaRules.groupID($0) }
        input.tags = try Self.check(input.tags) { try MediaRules.tags($0) }
        if case .set(let time) = input.takenAt { takenAt = .set(try MediaRules.unixTime(time, field: "takenAt")) }
        if case .clear = input.takenAt { takenAt = .clear }
        self.input = input
    }

    private static func check<Value>(_ change: Change<Value>, _ rule: (Value) throws -> Value?) throws -> Change<Value> {
        guard case .set(let value) = change else { return change }
        return try rule(value).map(Change.set) ?? .clear
    }

    func apply(to asset: inout Asset) {
        asset.title = input.title.applied(to: asset.title)
        asset.description = input.description.applied(to: asset.description)
        asset.groupID = input.groupId.applied(to: asset.groupID)
        asset.category = input.category.applied(to: asset.category) ?? "general"
        asset.tags = input.tags.applied(to: asset.tags) ?? []
        asset.takenAt = takenAt.applied(to: asset.takenAt)
    }
}

extension Change {
    fileprivate func applied(to old: Value?) -> Value? {
        switch self {
        case .unchanged: old
        case .clear: nil
        case .set(let value): value
        }
    }
}
