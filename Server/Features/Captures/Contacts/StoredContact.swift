import Core
import Database
import Foundation
import Media
import Web

/// One row of `contact`: a person whom captures mention.
struct StoredContact: Sendable, Equatable {
    let id: String
    let owner: String
    var name: String
    var relationship: String?
    var notes: String?
    /// The capture whose photo shows the person best.
    var faceCapture: String?
    var firstSeen: Timestamp
    var lastSeen: Timestamp
    /// Number of captures.
    var mentionCount: Int64
    /// Whether the user has edited it.
    var isByUser: Bool
    /// The contact into which it was merged.
    var mergedInto: String?
    var rowBytes: Int64

    /// Bytes without the names that the user gave the contact. `rowBytes` counts those names, too.
    var countedBytes: Int64 { RowBytes.count(searchable: [], tags: [], plain: [name, relationship, notes]) }

    /// The length of its texts, in bytes, as lists measure it. It is an overestimate if the contact has several names.
    var textByteCount: Int64 { max(0, rowBytes - RowBytes.row) }

    /// Names this contact in a stored response.
    var resource: CreatedResource { CreatedResource(kind: "contact", id: id) }

    /// Bytes of each further name that the user gives it: a hash in a row with three indexes.
    static let nameBytes: Int64 = 320

    /// The longest name, in Unicode scalars. A `Character` could have any number of them.
    static let nameLength = 200
    static let notesLength = 5_000

    /// The key under which the name is looked up. It is a hash, because the name of a deleted contact is kept for a long time. "John" and
    /// "john" are one name.
    static func key(_ name: String, of owner: String) -> String {
        let folded = name.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased().precomposedStringWithCanonicalMapping
        return CaptureRules.digest("contact \(owner) \(folded)")
    }
}

extension StoredContact: TableRow {
    static let table = Table<StoredContact>("contact")

    init(_ row: inout RowReader, writing contact: StoredContact?) throws {
        id = try row.next("id", contact?.id)
        owner = try row.next("owner", contact?.owner)
        name = try row.next("name", contact?.name)
        relationship = try row.next("relationship", contact?.relationship)
        notes = try row.next("notes", contact?.notes)
        faceCapture = try row.next("face_capture", contact?.faceCapture)
        firstSeen = try row.next("first_seen", contact?.firstSeen)
        lastSeen = try row.next("last_seen", contact?.lastSeen)
        mentionCount = try row.next("mention_count", contact?.mentionCount)
        isByUser = try row.next("by_user", contact?.isByUser)
        mergedInto = try row.next("merged_into", contact?.mergedInto)
        rowBytes = try row.next("row_bytes", contact?.rowBytes)
    }
}
