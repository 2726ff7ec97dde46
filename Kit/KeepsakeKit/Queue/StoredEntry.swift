import Foundation

/// An entry as its file `entry.json` holds it.
struct StoredEntry: Codable, Sendable, Equatable {
    enum Hold: String, Codable, Sendable { case parked, uncertain }

    /// One request. Its body, if it has one, is a file beside `entry.json`.
    struct Step: Codable, Sendable, Equatable {
        /// The method of a step that is no HTTP request, but a message on the captures' socket.
        static let capture = "capture"

        var method: String
        /// With the query, without the path of the server's URL.
        var path: String
        /// Determines the form of errors.
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
    /// What the responses so far named: by name, see `Step.takes`.
    var values: [String: String] = [:]
    var attempts = 0
    /// When the request `step` was first sent, by the server's clock.
    var firstAttemptAt: Date?
    /// Why it is held; `nil` while it waits.
    var hold: Hold?
    var failure: Failure?

    /// `KeepsakeError`, for the disk.
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
        // The folder decides: a crash can leave the reason in the file of an entry that was not moved yet.
        switch place {
        case .waiting: state = .waiting
        case .held: state = stored.hold == .uncertain ? .uncertain : .parked
        }
    }
}
