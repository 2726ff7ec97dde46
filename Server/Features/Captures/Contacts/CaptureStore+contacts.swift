import Core
import Database
import Intelligence
import KeepsakeWire
import Live
import Media
import Web

/// The user's changes to contacts. What the user says takes precedence over every engine.
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

    /// The owner's contacts, the last seen first.
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

    /// - Returns: the contact, or the one into which it was merged; `nil` when there is none, or it belongs to another account.
    func contact(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredContact? {
        guard let contact = try tx.first(Self.contacts([id], owner: owner), StoredContact.init) else { return nil }
        guard let other = contact.mergedInto else { return contact }
        // The other contact may be in the process of being deleted.
        return try tx.first(Self.contacts([other], owner: owner), StoredContact.init).flatMap { $0.mergedInto == nil ? $0 : nil }
    }

    /// - Returns: the contact to which the name leads; `nil` when there is none.
    func contact(named key: String, owner: String, _ tx: ReadTransaction) throws -> StoredContact? {
        let id = try tx.row(Self.contact(named: key, owner: owner))?.get("contact", as: String?.self)
        return try id.flatMap { try contact($0, owner: owner, tx) }
    }

    func contact(_ id: String, owner: String) async throws -> StoredContact? {
        try await database.read { tx in try contact(id, owner: owner, tx) }
    }

    func shown(_ contact: StoredContact, _ tx: ReadTransaction) throws -> ShownContact {
        (contact, try contact.faceCapture.flatMap { try faces([$0], owner: contact.owner, tx)[$0] })
    }

    /// - Throws: `.conflict` when another contact has the name, or `facesOfPhoto` other contacts have the photo; `.invalid` for a capture
    ///   without a photo; `.tooLarge` beyond the quota.
    func edit(_ id: String, owner: String, _ change: ContactChange) async throws -> ShownContact? {
        try await database.write { tx in
            try lockSummaries(of: owner, tx)
            guard var contact = try contact(id, owner: owner, tx) else { return nil }
            let old = contact
            try change.apply(to: &contact)
            var nameCount: Int64 = 0
            if contact.name != old.name {
                let key = StoredContact.key(contact.name, of: owner)
                if let other = try self.contact(named: key, owner: owner, tx), other.id != contact.id {
                    throw Problem(.conflict, "Another contact has this name. Merge the two instead.", field: "name")
                }
                // The name counts as a further name, unless it finds this contact already. Until now, it may have found a contact that is
                // deleted, or is being deleted or merged.
                let named = try tx.row(Self.contact(named: key, owner: owner))?.get("contact", as: String?.self)
                if named != contact.id { nameCount += 1 }
                try tx.run(Self.giveName(key, to: contact.id, at: clock.now, owner: owner))
                nameCount -= Int64(try tx.run(Self.forgetNames(of: contact.id, besides: key, owner: owner)))
            }
            if let face = contact.faceCapture, face != old.faceCapture {
                guard let (capture, files) = try whole(face, owner: owner, tx),
                    capture.photo.media != nil || files.contains(where: { $0.kind == .photo })
                else { throw Problem(.invalid, "bestFacePhoto must be the id of a capture with a photo.", field: "bestFacePhoto") }
                guard try tx.rows(Self.showing(face, owner: owner, limit: Self.facesOfPhoto)).count < Self.facesOfPhoto else {
                    throw Problem(
                        .conflict, "\(Self.facesOfPhoto) contacts have this photo already. Choose another one.", field: "bestFacePhoto")
                }
            }
            // Names that came with a merge are counted with the merged contact.
            let growth = contact.countedBytes - old.countedBytes + nameCount * StoredContact.nameBytes
            contact.rowBytes = max(contact.countedBytes, old.rowBytes + growth)
            let isSame = contact == old
            contact.isByUser = true
            try tx.run(
                """
                UPDATE contact SET name = \(contact.name), relationship = \(contact.relationship), notes = \(contact.notes),
                    face_capture = \(contact.faceCapture), by_user = 1, row_bytes = \(contact.rowBytes)
                WHERE id = \(contact.id) AND owner = \(owner)
                """)
            // Without a visible change there is no event, because other devices would fetch a contact that is the same. Responses do not
            // show `isByUser`.
            if isSame { return try shown(contact, tx) }
            try events.emit(.contactChanged, CaptureEvent(id: contact.id), to: owner, tx)
            try library.count(rowBytes: contact.rowBytes - old.rowBytes, owner: owner, tx)
            return try shown(contact, tx)
        }
    }

    /// The most former names, given by the user, that still find a contact. Names that captures mention, and names of merged contacts,
    /// always find it and do not count.
    static let formerNames = 100

    static func giveName(_ key: String, to contact: String, at now: Timestamp, owner: String) -> SQL {
        // A name that captures mention, or that a merged contact had, keeps its NULL `given_at`.
        """
        INSERT INTO contact_name (owner, name, contact, given_at) VALUES (\(owner), \(key), \(contact), \(now))
        ON CONFLICT (owner, name) DO UPDATE SET contact = excluded.contact, given_at = CASE
            WHEN contact_name.contact = excluded.contact AND contact_name.given_at IS NULL THEN NULL ELSE excluded.given_at END
        """
    }

    /// Forgets the oldest names that the user gave, if there are more than `formerNames`.
    static func forgetNames(of contact: String, besides name: String, owner: String) -> SQL {
        """
        DELETE FROM contact_name WHERE owner = \(owner) AND name IN (
            SELECT name FROM contact_name
            WHERE contact = \(contact) AND given_at IS NOT NULL AND name <> \(name) AND owner = \(owner)
            ORDER BY given_at DESC, name DESC LIMIT \(mergeCount) OFFSET \(formerNames))
        """
    }

    /// The most contacts that one photo can show. When its capture is deleted, one write changes all of them.
    static let facesOfPhoto = 100

    static func showing(_ capture: String, owner: String, limit: Int) -> SQL {
        "SELECT id FROM contact WHERE owner = \(owner) AND face_capture = \(capture) LIMIT \(limit)"
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
