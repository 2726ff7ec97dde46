import Core
import Database
import Intelligence
import KeepsakeWire
import Live
import Media
import Web

/// What the user does with contacts. The user's word wins over every engine's.
extension CaptureStore {
    /// The photo of a capture, without the capture's texts, which may be long.
    struct Face: Sendable {
        let owner: String
        let capture: String
        let photo: CaptureLink
        let files: [CaptureFileRow]
    }

    /// A contact with the photo that shows it.
    typealias ShownContact = (contact: StoredContact, face: Face?)

    /// The last seen first.
    func contacts(of owner: String, _ request: PageRequest<TimeKey>) async throws -> Page<ShownContact, TimeKey> {
        try await database.read { tx in
            let rows = try tx.list(Self.contactPage(of: owner, after: request.after, limit: request.rowLimit), StoredContact.init)
            let page = Page(inBytes: rows, limit: request.limit, byteCount: \.textByteCount) { TimeKey(at: $0.lastSeen, id: $0.id) }
            let faces = try faces(Array(Set(page.rows.compactMap(\.faceCapture))), owner: owner, tx)
            return page.map { contact in (contact, contact.faceCapture.flatMap { faces[$0] }) }
        }
    }

    /// The photos of these captures, by capture.
    func faces(_ captures: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Face] {
        guard !captures.isEmpty else { return [:] }
        let files = try files(of: captures, owner: owner, tx)
        let faces = try tx.list(Self.faces(captures, owner: owner)) { (row: inout RowReader) -> Face in
            let id: String = try row.next("id")
            let photo = CaptureLink(media: try row.next("photo_media"), url: try row.next("photo_url"))
            return Face(owner: owner, capture: id, photo: photo, files: files[id] ?? [])
        }
        return Dictionary(faces.map { ($0.capture, $0) }) { first, _ in first }
    }

    static func faces(_ captures: [String], owner: String) -> SQL {
        "SELECT id, photo_media, photo_url FROM capture WHERE owner = \(owner) AND id IN (\(sql: .list(captures)))"
    }

    private static let lastSeen = Keyset(.descending, "contact.last_seen", "contact.id")

    static func contactPage(of owner: String, after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: StoredContact.table.select) WHERE contact.owner = \(owner) AND contact.merged_into IS NULL"
            + lastSeen.page(after: key?.sql, limit: limit)
    }

    /// - Returns: the contact, or the one that stands for it; `nil` when there is none, or it belongs to another account.
    func contact(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredContact? {
        guard let contact = try tx.first(Self.contacts([id], owner: owner), StoredContact.init) else { return nil }
        guard let other = contact.mergedInto else { return contact }
        return try tx.first(Self.contacts([other], owner: owner), StoredContact.init)
    }

    func contact(_ id: String, owner: String) async throws -> StoredContact? {
        try await database.read { tx in try contact(id, owner: owner, tx) }
    }

    func shown(_ contact: StoredContact, _ tx: ReadTransaction) throws -> ShownContact {
        (contact, try contact.faceCapture.flatMap { try faces([$0], owner: contact.owner, tx)[$0] })
    }

    /// - Throws: `.conflict` when another contact has the name; `.invalid` for a capture without a photo; `.tooLarge` beyond the quota.
    func edit(_ id: String, owner: String, _ change: ContactChange) async throws -> ShownContact? {
        try await database.write { tx in
            try lockSummaries(of: owner, tx)
            guard var contact = try contact(id, owner: owner, tx) else { return nil }
            let old = contact
            try change.apply(to: &contact)
            if contact.name != old.name {
                let key = StoredContact.key(contact.name, of: owner)
                let other: String? = try tx.row(Self.contact(named: key, owner: owner))?.get("contact")
                if let other, other != contact.id {
                    throw Problem(.conflict, "Another contact has this name. Merge the two instead.", field: "name")
                }
                try tx.run(Self.setName(key, contact: contact.id, owner: owner))
            }
            if let face = contact.faceCapture, face != old.faceCapture {
                guard let (capture, files) = try whole(face, owner: owner, tx),
                    capture.photo.media != nil || files.contains(where: { $0.kind == .photo })
                else { throw Problem(.invalid, "bestFacePhoto must be the id of a capture with a photo.", field: "bestFacePhoto") }
            }
            contact.rowBytes = contact.countedBytes
            let isSame = contact == old
            contact.isByUser = true
            try tx.run(
                """
                UPDATE contact SET name = \(contact.name), relationship = \(contact.relationship), notes = \(contact.notes),
                    face_capture = \(contact.faceCapture), by_user = 1, row_bytes = \(contact.rowBytes)
                WHERE id = \(contact.id) AND owner = \(owner)
                """)
            // Other devices would otherwise fetch a contact that is the same. Responses do not show `isByUser`.
            if isSame { return try shown(contact, tx) }
            try events.emit(.contactChanged, CaptureEvent(id: contact.id), to: owner, tx)
            try library.count(rowBytes: contact.rowBytes - old.rowBytes, owner: owner, tx)
            return try shown(contact, tx)
        }
    }

    /// Gives all captures and names of one contact to another.
    /// - Returns: the contact that remains; `nil` when `id` does not exist.
    /// - Throws: `.notFound` when `other` does not exist; `.invalid` when the two are the same.
    func merge(_ id: String, into other: String, owner: String) async throws -> ShownContact? {
        // If the server stops in between, each contact has a part, and a repeated request moves the rest.
        while try await mergeSome(of: id, into: other, owner: owner) {}
        return try await database.write { tx in
            try lockSummaries(of: owner, tx)
            guard let contact = try contact(id, owner: owner, tx) else { return nil }
            guard let target = try self.contact(other, owner: owner, tx) else { throw Problem.unknownContact(in: "into") }
            guard contact.id != target.id else {
                throw Problem(.invalid, "A contact cannot be merged into itself.", field: "into")
            }
            // Usually once: `mergeSome` has left at most `mergeCount`, to which others may have added some.
            while try moveMentions(of: contact.id, to: target.id, owner: owner, tx) == Self.mergeCount {}
            for statement in Self.merges(contact.id, into: target.id, owner: owner) { try tx.run(statement) }
            try tx.run("UPDATE contact SET merged_into = \(target.id), mention_count = 0 WHERE id = \(contact.id) AND owner = \(owner)")
            try tx.run(
                """
                UPDATE contact SET by_user = 1, relationship = COALESCE(relationship, \(contact.relationship)),
                    notes = COALESCE(notes, \(contact.notes)), face_capture = COALESCE(face_capture, \(contact.faceCapture))
                WHERE id = \(target.id) AND owner = \(owner)
                """)
            try events.emit(.contactChanged, CaptureEvent(id: target.id), to: owner, tx)
            try events.emit(.contactDeleted, CaptureEvent(id: contact.id), to: owner, tx)
            return try self.contact(target.id, owner: owner, tx).map { try shown($0, tx) }
        }
    }

    /// Gives some of a contact's many captures to another.
    /// - Returns: whether more are left than `merge` moves at once.
    private func mergeSome(of id: String, into other: String, owner: String) async throws -> Bool {
        try await database.write { tx in
            try lockSummaries(of: owner, tx)
            guard id != other, let contact = try contact(id, owner: owner, tx), contact.mentionCount > Self.mergeCount,
                let target = try self.contact(other, owner: owner, tx)
            else { return false }
            let moved = try moveMentions(of: contact.id, to: target.id, owner: owner, tx)
            _ = try updateCounts(by: [contact.id: -moved], owner: owner, tx)
            return true
        }
    }

    /// Gives a contact's first captures to another one, whose count it updates.
    /// - Returns: how many the contact has lost. Some of them may have mentioned both.
    private func moveMentions(of contact: String, to other: String, owner: String, _ tx: WriteTransaction) throws -> Int64 {
        let moves = Self.moves(contact, to: other, owner: owner, limit: Self.mergeCount)
        let added = try tx.run(moves.addition)
        let removed = try tx.run(moves.removal)
        _ = try updateCounts(by: [other: Int64(added)], owner: owner, tx)
        return Int64(removed)
    }

    /// Captures that one write gives to another contact.
    static let mergeCount = 500

    /// Deletes a contact. Its names, those of contacts merged into it included, are not taken up again.
    /// - Returns: whether there was one.
    func deleteContact(_ id: String, owner: String) async throws -> Bool {
        guard let found = try await contact(id, owner: owner) else { return false }
        // No list shows the merged contacts. There may be many, with long notes.
        while try await deleteSomeMerged(into: found.id, owner: owner) {}
        return try await database.write { tx in
            try lockSummaries(of: owner, tx)
            guard let contact = try contact(found.id, owner: owner, tx) else { return false }
            let answerBytes = try IdempotencyStore.forget(contact.resource, of: owner, tx)
            try tx.run(Self.forgetNames(of: contact.id, owner: owner))
            let merged: [Int64] = try tx.rows(Self.deleteMerged(into: contact.id, owner: owner)).map { try $0.get("row_bytes") }
            try tx.run("DELETE FROM contact WHERE id = \(contact.id) AND owner = \(owner)")
            try events.emit(.contactDeleted, CaptureEvent(id: contact.id), to: owner, tx)
            try library.note(rowBytes: -contact.rowBytes - merged.reduce(0, +) - answerBytes, owner: owner, tx)
            return true
        }
    }

    /// - Returns: whether there were any.
    private func deleteSomeMerged(into contact: String, owner: String) async throws -> Bool {
        let ids = try await database.read { tx in
            try tx.deletionStep(limit: 100) { Self.merged(into: contact, owner: owner, limit: $0) }
        }
        guard !ids.isEmpty else { return false }
        try await database.write { tx in
            try lockSummaries(of: owner, tx)
            let rows = try tx.rows(Self.deleteMerged(into: contact, among: ids, owner: owner))
            let freed: Int64 = try rows.reduce(0) { try $0 + $1.get("row_bytes", as: Int64.self) }
            try library.note(rowBytes: -freed, owner: owner, tx)
        }
        return true
    }

    // MARK: Statements

    /// Gives a contact's first captures to another one. Run the two in this order.
    static func moves(_ contact: String, to other: String, owner: String, limit: Int) -> (addition: SQL, removal: SQL) {
        // Without the bound on `at`, SQLite would read all mentions of the owner, by the primary key, for the sake of `owner = …`.
        let some: SQL = """
            SELECT capture FROM contact_mention
            WHERE contact = \(contact) AND at >= \(Timestamp(microseconds: .min)) AND owner = \(owner) ORDER BY at, capture LIMIT \(limit)
            """
        let addition: SQL = """
            INSERT INTO contact_mention (owner, capture, contact, at)
            SELECT owner, capture, \(other), at FROM contact_mention
            WHERE contact = \(contact) AND at >= \(Timestamp(microseconds: .min)) AND owner = \(owner) ORDER BY at, capture LIMIT \(limit)
            ON CONFLICT DO NOTHING
            """
        let removal: SQL = "DELETE FROM contact_mention WHERE owner = \(owner) AND contact = \(contact) AND capture IN (\(sql: some))"
        return (addition, removal)
    }

    /// Gives a contact's names and merged contacts to another one.
    static func merges(_ contact: String, into other: String, owner: String) -> [SQL] {
        [
            "UPDATE contact_name SET contact = \(other) WHERE contact = \(contact) AND owner = \(owner)",
            "UPDATE contact_pin SET contact = \(other) WHERE contact = \(contact) AND owner = \(owner)",
            "UPDATE contact SET merged_into = \(other) WHERE merged_into = \(contact) AND owner = \(owner)",
        ]
    }

    static func forgetNames(of contact: String, owner: String) -> SQL {
        "UPDATE contact_name SET contact = NULL WHERE contact = \(contact) AND owner = \(owner)"
    }

    static func merged(into contact: String, owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM contact WHERE merged_into = \(contact) AND owner = \(owner) LIMIT \(limit)"
    }

    /// - Parameter ids: only these contacts; `nil` for all.
    static func deleteMerged(into contact: String, among ids: [String]? = nil, owner: String) -> SQL {
        let some: SQL = ids.map { " AND id IN (\(sql: .list($0)))" } ?? ""
        return "DELETE FROM contact WHERE merged_into = \(contact) AND owner = \(owner)\(sql: some) RETURNING row_bytes"
    }
}

/// A validated edit of a contact.
struct ContactChange: Sendable {
    private let input: EditKnownContactInput

    /// - Throws: `.invalid` naming the field.
    init(_ input: EditKnownContactInput) throws {
        var input = input
        switch input.name {
        case .unchanged: break
        case .clear: throw Problem(.invalid, "name must not be null.", field: "name")
        case .set(let name): input.name = .set(try Self.name(name))
        }
        input.relationship = try Self.checked(input.relationship, "relationship", max: StoredContact.nameLength)
        input.notes = try Self.checked(input.notes, "notes", max: StoredContact.notesLength)
        if case .set(let id) = input.bestFacePhoto, !CaptureRules.isID(id) {
            throw Problem(.invalid, "bestFacePhoto must be the id of a capture with a photo.", field: "bestFacePhoto")
        }
        self.input = input
    }

    /// - Throws: `.invalid` naming `name`.
    static func name(_ text: String) throws -> String {
        guard let name = try TextRules.optionalLine(text, field: "name", max: StoredContact.nameLength) else {
            throw Problem(.invalid, "name must not be empty.", field: "name")
        }
        return name
    }

    private static func checked(_ change: Change<String>, _ field: String, max: Int) throws -> Change<String> {
        guard case .set(let text) = change else { return change }
        return try TextRules.optionalLine(text, field: field, max: max).map(Change.set) ?? .clear
    }

    func apply(to contact: inout StoredContact) throws {
        if case .set(let name) = input.name { contact.name = name }
        contact.relationship = Self.applied(input.relationship, contact.relationship)
        contact.notes = Self.applied(input.notes, contact.notes)
        contact.faceCapture = Self.applied(input.bestFacePhoto, contact.faceCapture)
    }

    private static func applied(_ change: Change<String>, _ old: String?) -> String? {
        switch change {
        case .unchanged: old
        case .clear: nil
        case .set(let text): text
        }
    }
}

extension Event.Kind {
    static let contactChanged: Event.Kind = "contact.changed"
    static let contactDeleted: Event.Kind = "contact.deleted"
}
