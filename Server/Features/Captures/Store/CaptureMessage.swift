import Core
import Crypto
import Foundation
import KeepsakeWire

/// A capture as a client sends it on the socket.
struct CaptureMessage: Sendable, Equatable {
    /// If it is `nil`, the server makes one.
    var id: String?
    var at: Timestamp
    var photoURL: String?
    var audioURL: String?
    var transcription: String?
}

/// Why a message is refused. The socket stays open.
struct CaptureRefusal: Error, Sendable, Equatable {
    enum Code: String, Sendable {
        case invalidJSON = "invalid_json"
        case invalidType = "invalid_type"
        case invalidTimestamp = "invalid_timestamp"
        case invalidField = "invalid_field"
        case idInUse = "id_in_use"
        case quota
        case failedToSave = "failed_to_save"
    }

    let code: Code
    let detail: String
    /// `nil` when the message names none.
    var capture: String?
}

extension CaptureMessage {
    static let transcriptionLength = 100_000
    static let urlLength = 2_048

    /// - Throws: `CaptureRefusal`.
    init(json text: String) throws {
        do {
            try UntrustedJSON.check(text)
        } catch let problem as Problem {
            throw CaptureRefusal(code: .invalidJSON, detail: problem.message)
        }
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw CaptureRefusal(code: .invalidJSON, detail: "The message is not a JSON object.")
        }
        guard object["type"] as? String == "memory_capture" else {
            throw CaptureRefusal(code: .invalidType, detail: "type must be \"memory_capture\".", capture: Self.known(object["id"]))
        }
        let id = try Self.text(object, "id", nil)
        if let id, !CaptureRules.isID(id) {
            throw CaptureRefusal(code: .invalidField, detail: "id must be 1 to 128 letters, digits, dots, dashes or underscores.")
        }
        guard let stamp = object["timestamp"] as? String, let at = CaptureRules.moment(TextRules.trimmed(stamp)) else {
            throw CaptureRefusal(
                code: .invalidTimestamp, detail: "timestamp must be ISO 8601, in the years 1970 to 2199.", capture: id)
        }
        self.init(
            id: id, at: at, photoURL: try Self.text(object, "photoURL", id, max: Self.urlLength),
            audioURL: try Self.text(object, "audioURL", id, max: Self.urlLength),
            transcription: try Self.text(object, "transcription", id, max: Self.transcriptionLength))
    }

    private static func known(_ id: Any?) -> String? { (id as? String).flatMap { CaptureRules.isID($0) ? $0 : nil } }

    /// - Returns: the trimmed text; `nil` when it is absent, null or empty.
    private static func text(_ object: [String: Any], _ name: String, _ id: String?, max: Int = .max) throws -> String? {
        guard let value = object[name], !(value is NSNull) else { return nil }
        guard let value = value as? String else {
            throw CaptureRefusal(code: .invalidField, detail: "\(name) must be a string.", capture: id)
        }
        do {
            return try TextRules.optionalLine(value, field: name, max: max)
        } catch let problem as Problem {
            throw CaptureRefusal(code: .invalidField, detail: problem.message, capture: id)
        }
    }
}

/// Pure decisions about captures.
enum CaptureRules {
    /// `[A-Za-z0-9._-]{1,128}`, but not `.` or `..`.
    static func isID(_ text: String) -> Bool {
        guard (1...128).contains(text.utf8.count), text != ".", text != ".." else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    /// Parses ISO 8601. A time without an offset is in UTC.
    /// - Returns: `nil` outside the years 1970–2199.
    static func moment(_ text: String) -> Timestamp? {
        guard text.utf8.count <= 64, let microseconds = WireDate.parseMicroseconds(text),
            (0..<7_258_118_400).contains(Timestamp(microseconds: microseconds).seconds)
        else { return nil }
        return Timestamp(microseconds: microseconds)
    }

    /// - Throws: `.invalid` naming `transcription`.
    static func transcription(_ text: String) throws -> String? {
        try TextRules.optionalLine(text, field: "transcription", max: CaptureMessage.transcriptionLength)
    }

    static func digest(_ text: String) -> String { Base64URL.encode(SHA256.hash(data: Array(text.utf8))) }

    /// The hash that stands for a deleted capture; it does not reveal the capture's id.
    static func tombstone(_ id: String, of owner: String) -> String { digest("capture \(owner) \(id)") }

    /// How long the server remembers the id of a deleted capture, because phones repeat queued captures after weeks.
    static let tombstoneLifetime: Duration = .days(90)
    /// Once the server remembers this many ids of an account, it remembers further ones only for `shortTombstoneLifetime`: they do not count
    /// against the quota, and a client could add millions a day.
    static let maxTombstones = 200_000
    static let shortTombstoneLifetime: Duration = .days(1)
}

/// A link of ours to a file, identified by its path alone: its host, signature and expiry do not matter.
enum OurLink: Sendable, Equatable {
    /// What was uploaded for a capture.
    case upload(owner: String, capture: String, kind: CaptureFileRow.Kind)
    /// A file of the library.
    case file(owner: String, id: String)

    init?(_ url: String) {
        guard let segments = Self.segments(url) else { return nil }
        switch segments.count {
        case 5 where segments[0] == "raw-media" && segments[2] == "memories":
            let stem = segments[4].split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
            guard let kind = CaptureFileRow.Kind(rawValue: stem), CaptureRules.isID(segments[3]) else { return nil }
            self = .upload(owner: segments[1], capture: segments[3], kind: kind)
        case 7 where segments[..<3] == ["api", "users", "user"] && segments[4] == "multimedia" && segments[5] == "files":
            self = .file(owner: segments[3], id: segments[6])
        default: return nil
        }
    }

    /// Returns the same text for two of this server's links to one file. Returns any other URL unchanged.
    static func canonical(_ url: String) -> String {
        switch OurLink(url) {
        case .upload(let owner, let capture, let kind): "upload \(owner) \(capture) \(kind.rawValue)"
        case .file(let owner, let id): "file \(owner) \(id)"
        case nil: url
        }
    }

    /// The path's segments, without percent-encoding; `nil` for a text that is not an absolute http or https URL.
    private static func segments(_ url: String) -> [String]? {
        guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let path = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].prefix { $0 != "?" && $0 != "#" }
        guard path.utf8.count <= 1_024 else { return nil }
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { String($0).removingPercentEncoding }
        let whole = segments.compactMap { $0 }
        return whole.count == segments.count ? whole : nil
    }
}

extension Problem {
    /// The same error for a capture that does not exist and for somebody else's capture.
    static let noSuchCapture = Problem(.notFound, "There is no such capture.")
    static let noSuchContact = Problem(.notFound, "There is no such contact.")
    /// For a contact that the query or the body names, and not the path.
    static func unknownContact(in field: String) -> Problem { Problem(.notFound, "\(field): there is no such contact.", field: field) }
    static let captureDeleted = Problem(.gone, "The capture with this id has been deleted. Use a new id for each capture.")
}
