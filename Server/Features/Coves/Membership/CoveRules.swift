import Blobs
import Core
import KeepsakeWire
import Media

/// Validation of coves. Pure functions and limits.
enum CoveRules {
    /// The most coves that an account can be a member of. This limit bounds what one write changes when the account is closed or suspended.
    static let maxMemberships = 1_000
    /// Coves created by one account that have not ended.
    static let maxCreated = 500
    /// Memberships of an account, and coves that it created, including those of coves that have ended and are still kept. It bounds what a
    /// write reads to find those that have not ended. Because of it, memberships need not count against the quota. Accounts may still have
    /// more from earlier versions, until the ended coves are deleted.
    static let maxKept = 5_000
    /// Days that an ended cove is kept, so that calendars can show its events as cancelled for 30 days.
    static let keptDays: Int64 = 31

    static let tooManyMemberships = Problem(.conflict, "You are a member of \(maxMemberships) coves. Leave one first.")
    static let tooManyCreated = Problem(.conflict, "You have created \(maxCreated) coves. Delete one first.")
    static let tooManyKept = Problem(
        .conflict, "You have been in \(maxKept) coves, including those that ended in the last \(keptDays) days. Try again later.")

    /// Says what the person can do. Only the creator sets roles.
    static func lastAdmin(isCreator: Bool) -> Problem {
        let advice =
            isCreator
            ? "Make another member ADMIN before you leave."
            : "Only its creator could make another member ADMIN, so remove the other members before you leave."
        return Problem(.conflict, "You are the only ADMIN of this cove. \(advice)")
    }

    /// The cover picture: at most 10 MB.
    static var upload: UploadRules { MediaLibrary.picture(in: ["coverPhoto"]) }

    static func name(_ text: String) throws -> String { try required(text, field: "name", max: 100) }
    static func location(_ text: String) throws -> String { try required(text, field: "location", max: 200) }
    static func description(_ text: String?) throws -> String? {
        try TextRules.optionalLine(text, field: "description", max: 5_000)
    }

    /// An id as clients send it, trimmed. PostgreSQL takes no NUL.
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
        name = try Self.kept(input.name, field: "name").map(CoveRules.name)
        location = try Self.kept(input.location, field: "location").map(CoveRules.location)
        if case .set(let text) = input.description {
            description = try CoveRules.description(text).map(Change.set) ?? .clear
        } else {
            description = input.description
        }
        removesCover = input.coverPhoto != .unchanged
        joining = input.joining
    }

    func apply(to cove: inout Cove) {
        cove.name = name ?? cove.name
        cove.location = location ?? cove.location
        cove.joining = joining ?? cove.joining
        switch description {
        case .unchanged: break
        case .clear: cove.description = nil
        case .set(let text): cove.description = text
        }
    }

    private static func kept(_ change: Change<String>, field: String) throws -> String? {
        switch change {
        case .unchanged: return nil
        case .clear: throw Problem(.invalid, "\(field) cannot be cleared.", field: field)
        case .set(let text): return text
        }
    }
}
