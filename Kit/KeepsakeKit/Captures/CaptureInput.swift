public import Foundation
import KeepsakeWire

/// A capture as an app sends it.
public struct CaptureInput: Codable, Sendable, Equatable {
    /// 1…128 ASCII letters, digits, `.`, `_` or `-`, but not `.` or `..`. Use the same id when you send the capture again: then the server
    /// stores it once.
    public var id: String
    public var timestamp: Date
    public var photoURL: String?
    public var audioURL: String?
    /// At most 100,000 characters. The whole capture has at most 256 KB as JSON.
    public var transcription: String?

    public init(id: String, timestamp: Date, photoURL: String? = nil, audioURL: String? = nil, transcription: String? = nil) {
        self.id = id
        self.timestamp = timestamp
        self.photoURL = photoURL
        self.audioURL = audioURL
        self.transcription = transcription
    }

    static func isID(_ text: String) -> Bool {
        1...128 ~= text.utf8.count && text != "." && text != ".."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private struct Message: Encodable {
        let type = "memory_capture"
        let id: String
        let timestamp: Date
        let photoURL: String?
        let audioURL: String?
        let transcription: String?
    }

    /// The most bytes of a capture's JSON. The server closes the socket when it receives a longer text.
    static let maxByteCount = 262_144

    /// The JSON text that is sent over the socket.
    /// - Throws: `invalid_request` when it is longer than `maxByteCount`.
    func message() throws -> String {
        let message = Message(id: id, timestamp: timestamp, photoURL: photoURL, audioURL: audioURL, transcription: transcription)
        let json = try CaptureLine.surface.makeEncoder().encode(message)
        guard json.count <= Self.maxByteCount else {
            throw KeepsakeError(
                .invalidRequest, "The capture has \(json.count) bytes as JSON, of at most \(Self.maxByteCount). Shorten the transcription.",
                field: "transcription")
        }
        return String(decoding: json, as: UTF8.self)
    }
}

/// The server's acknowledgement: the capture is durable.
public struct CaptureReceipt: Sendable, Equatable {
    public var captureId: String
    /// The capture's own time.
    public var timestamp: Date

    public init(captureId: String, timestamp: Date) {
        self.captureId = captureId
        self.timestamp = timestamp
    }
}

/// What the server sends on the socket of captures.
struct CaptureReply: Decodable, Sendable {
    var type: String?
    var captureId: String?
    var timestamp: Date?
    /// The error code, if the server refused the capture.
    var error: String?
    var detail: String?
}
