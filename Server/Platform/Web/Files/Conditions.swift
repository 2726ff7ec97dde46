import Core
import HTTPTypes

/// Conditional requests (RFC 9110 §13), decided in the order of §13.2.2.
enum Conditions {
    enum Outcome: Equatable {
        case proceed
        case notModified
        case preconditionFailed
    }

    /// - Parameters:
    ///   - etag: strong, with its quotes.
    ///   - lastModified: `nil` when it is not known; conditions on it are then ignored (§13.1.3, §13.1.4).
    static func decide(_ headers: HTTPFields, etag: String, lastModified: Timestamp? = nil) -> Outcome {
        if let tags = headers[.ifMatch] {
            guard matches(tags, etag, weakly: false) else { return .preconditionFailed }
        } else if let lastModified, let limit = headers[.ifUnmodifiedSince].flatMap({ HTTPDate.parse($0) }) {
            guard lastModified.seconds <= limit else { return .preconditionFailed }
        }
        if let tags = headers[.ifNoneMatch] {
            if matches(tags, etag, weakly: true) { return .notModified }
        } else if let lastModified, let limit = headers[.ifModifiedSince].flatMap({ HTTPDate.parse($0) }) {
            if lastModified.seconds <= limit { return .notModified }
        }
        return .proceed
    }

    /// Whether `If-Range` (§13.1.5) lets the server apply the request's `Range`. Only a strong validator matches.
    static func rangeHolds(_ headers: HTTPFields, etag: String, lastModified: Timestamp) -> Bool {
        guard let validator = headers[.ifRange] else { return true }
        if validator.hasPrefix("\"") || validator.hasPrefix("W/") { return validator == etag }
        return HTTPDate.parse(validator) == lastModified.seconds
    }

    private static func matches(_ list: String, _ etag: String, weakly: Bool) -> Bool {
        // Nearly every client sends just this one tag.
        if list == etag { return true }
        if list.trimmingPrefix(while: { $0 == " " }) == "*" { return true }
        // Our entity tags contain no comma, so splitting at commas finds them, whatever the other tags contain.
        return list.split(separator: ",").map(\.trimmed).contains { tag in
            tag == etag || weakly && tag.hasPrefix("W/") && tag.dropFirst(2) == etag
        }
    }
}

extension Problem {
    /// The error for `Conditions.Outcome.preconditionFailed`.
    static let fileChanged = Problem(.preconditionFailed, "The file has changed since you read it. Read it again.")
}
