import Core
import Foundation

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
        guard let stamp = object["timestamp"] as? String, let at = CaptureRules.time(TextRules.trimmed(stamp)) else {
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
