import Blobs
import Core
import KeepsakeWire
import Media

/// Validation of coves. Pure functions and limits.
enum CoveRules {
    /// The most coves that an account can be a member of. This limit bounds what one write changes when the account is closed or suspended.
    static let maxMemberships = 1_000
    /// The most coves that one account has created and that have not ended.
    static let maxCreated = 500
    /// The most memberships of an account, and the most coves that it created, both including coves that have ended and are still kept. The
    /// limit bounds how many rows a write reads to find the coves that have not ended. Because of the limit, memberships need not count
    /// against the quota. Accounts may have more from earlier versions until the ended coves are deleted.
    static let maxKept = 5_000
    /// Days that an ended cove is kept, so that calendars can show its events as cancelled for 30 days.
    static let keptDays: Int64 = 31

    static let tooManyMemberships = Problem(.conflict, "You are a member of \(maxMemberships) coves. Leave one first.")
    static let tooManyCreated = Problem(.conflict, "You have created \(maxCreated) coves. Delete one first.")
    static let tooManyKept = Problem(
        .conflict, "You have been in \(maxKept) coves, including those that ended in the last \(keptDays) days. Try again later.")

    /// The error for the last ADMIN. It says what the person can do, which depends on whether the person is the creator: only the creator
    /// sets roles.
    static func lastAdmin(isCreator: Bool) -> Problem {
        let advice =
            isCreator
            ? "Make another member ADMIN before you leave."
            : "Only its creator can make another member ADMIN. Remove the other members before you leave."
        return Problem(.conflict, "You are the only ADMIN of this cove. \(advice)")
    }

    /// The cover picture: at most 10 MB.
    static var upload: UploadRules { MediaLibrary.picture(in: ["coverPhoto"]) }

    static func name(_ text: String) throws -> String { try required(text, field: "name", max: 100) }
    static func location(_ text: String) throws -> String { try required(text, field: "location", max: 200) }
    static func description(_ text: String?) throws -> String? {
        try TextRules.optionalLine(text, field: "description", max: 5_000)
    }
    /// A text of white space alone clears the description.
    static func description(_ change: Change<String>) throws -> Change<String> {
        guard case .set(let text) = change else { return change }
        return try description(text).map(Change.set) ?? .clear
    }

    /// An id as clients send it, trimmed. It contains no NUL, which PostgreSQL does not accept.
    /// - Throws: `.invalid` naming `field` when no id can look like this.
    static func id(_ text: String, field: String) throws -> String {
        let id = TextRules.trimmed(text)
        guard 1...128 ~= id.utf8.count, !id.utf8.contains(0) else {
            throw Problem(.invalid, "\(field) must be an id of 1 to 128 bytes.", field: field)
        }
        return id
    }

    static func required(_ text: String, field: String, max: Int) throws -> String {
        let line = try TextRules.line(text, field: field, max: max)
        guard !line.isEmpty else { throw Problem(.invalid, "\(field) must not be empty.", field: field) }
        return line
    }
}

/// A validated change of a cove.
struct CoveChange: Sendable {
    let name: String?
    let description: Change<String>
    let location: String?
    let removesCover: Bool
    let joining: CoveJoining?

    /// - Throws: `.invalid` naming the field.
    init(_ input: EditCoveInput) throws {
        name = try input.name.required("name").map(CoveRules.name)
        location = try input.location.required("location").map(CoveRules.location)
        description = try CoveRules.description(input.description)
        removesCover = input.coverPhoto != .unchanged
        joining = input.joining
    }

    func apply(to cove: inout Cove) {
        cove.name = name ?? cove.name
        cove.location = location ?? cove.location
        cove.joining = joining ?? cove.joining
        cove.description = description.applied(to: cove.description)
    }
}

extension Change {
    /// The new value of a field that cannot be empty; `nil` when it is unchanged.
    /// - Throws: `.invalid` naming the field, when the request clears it.
    func required(_ field: String) throws -> Value? {
        switch self {
        case .unchanged: return nil
        case .clear: throw Problem(.invalid, "\(field) cannot be cleared.", field: field)
        case .set(let value): return value
        }
    }

    /// The value of an optional field after the change.
    func applied(to old: Value?) -> Value? {
        switch self {
        case .unchanged: old
        case .clear: nil
        case .set(let value): value
        }
    }
}
