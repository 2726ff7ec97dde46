import Core
import Crypto
import KeepsakeWire

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
    /// - Returns: `nil` if the text is not a time, is longer than 64 bytes, or lies outside the years 1970–2199.
    static func time(_ text: String) -> Timestamp? {
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

extension Problem {
    /// The same error for a capture that does not exist and for somebody else's capture.
    static let noSuchCapture = Problem(.notFound, "There is no such capture.")
    static let noSuchContact = Problem(.notFound, "There is no such contact.")
    /// For a contact that the query or the body names, and not the path.
    static func unknownContact(in field: String) -> Problem { Problem(.notFound, "\(field): there is no such contact.", field: field) }
    static let captureDeleted = Problem(.gone, "The capture with this id has been deleted. Use a new id for each capture.")
}
