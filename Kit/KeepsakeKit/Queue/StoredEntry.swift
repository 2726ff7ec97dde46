import Foundation

/// An entry as `entry.json` stores it.
struct StoredEntry: Codable, Sendable, Equatable {
    enum HoldReason: String, Codable, Sendable { case parked, uncertain }

    /// One request. Its body, if it has one, is a file beside `entry.json`.
    struct Step: Codable, Sendable, Equatable {
        /// The value of `method` for a step that sends a message on the socket of captures instead of an HTTP request.
        static let capture = "capture"

        var method: String
        /// The path and the query, without the path of the server's URL.
        var path: String
        /// The surface, which determines the JSON format of errors.
        var surface: String
        var contentType: String?
        var body: String?
        var key: String?
        var takes: [String: [String]]
    }

    var id: String
    var server: String
    var userID: String
    var kind: String
    var label: String
    var queuedAt: Date
    var byteCount: Int64 = 0
    var steps: [Step] = []
    /// The index of the request to send next.
    var step = 0
    /// Values from the responses so far, by the names in `Step.takes`.
    var values: [String: String] = [:]
    var attempts = 0
    /// The time at which the request `step` was first sent, by the server's clock.
    var firstAttemptAt: Date?
    /// The reason why the entry is held; `nil` while it waits.
    var hold: HoldReason?
    var failure: Failure?

    /// The parts of a `KeepsakeError` that are stored on the disk.
    struct Failure: Codable, Sendable, Equatable {
        var code: String
        var message: String
        var field: String?
        var status: Int?
        var requestID: String?

        init(_ error: KeepsakeError) {
            code = error.code.rawValue
            message = error.message
            field = error.field
            status = error.status
            requestID = error.requestID
        }

        var error: KeepsakeError {
            KeepsakeError(.init(rawValue: code), message, field: field, status: status, requestID: requestID)
        }
    }
}

extension QueueEntry {
    init(_ stored: StoredEntry, _ place: QueueScope.Place) {
        id = stored.id
        userID = stored.userID
        kind = QueuedCall.Kind(rawValue: stored.kind)
        label = stored.label
        queuedAt = stored.queuedAt
        byteCount = stored.byteCount
        attempts = stored.attempts
        firstAttemptAt = stored.firstAttemptAt
        error = stored.failure?.error
        // The folder, not `hold`, determines the state: if the process crashed before it moved the entry, `waiting` contains an entry with
        // a `hold`.
        switch place {
        case .waiting: state = .waiting
        case .held: state = stored.hold == .uncertain ? .uncertain : .parked
        }
    }
}
