import Core
import Database
import Media

/// Which contacts a capture mentions. Call these methods under `lockSummaries`.
extension CaptureStore {
    /// By contact: how many captures a write adds to the contact, or removes from it if negative.
    typealias MentionChanges = [String: Int64]

    /// Replaces a capture's mentions by those of `names`. Makes contacts for new names, and removes contacts that no capture mentions any
    /// more and the user has not edited.
    /// - Returns: bytes by which the owner's rows have grown.
    func mention(_ names: [String], in capture: StoredCapture, _ tx: WriteTransaction) throws -> Int64 {
        var changes: MentionChanges = [:]
        let growth = try mention(names, in: capture, &changes, tx)
        return try growth + updateCounts(by: changes, owner: capture.owner, tx)
    }

    /// Like `mention(_:in:_:)`, for a write that changes several captures. The caller must call `updateCounts` once, after the last
    /// capture.
    func mention(
        _ names: [String], in capture: StoredCapture, _ changes: inout MentionChanges, _ tx: WriteTransaction
    ) throws -> Int64 {
        let (owner, id) = (capture.owner, capture.id)
        let before = try mentioned(in: id, owner: owner, tx)
        let pins = try pins(of: id, owner: owner, tx)
        var after: Set<String> = []
        var growth: Int64 = 0
        for name in names {
            let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !name.isEmpty, name.unicodeScalars.count <= StoredContact.nameLength else { continue }
            let key = StoredContact.key(name, of: owner)
            if let pinned = pins[key] {
                after.insert(pinned)
            } else if let row = try tx.row(Self.contact(named: key, owner: owner)) {
                // A row without a contact means that the user has deleted the contact of this name.
                if let known: String = try row.get("contact") { after.insert(known) }
                if try row.get("given_at", as: Timestamp?.self) != nil { try tx.run(Self.keepName(key, owner: owner)) }
            } else {
                let contact = newContact(name, owner: owner, at: capture.at, isByUser: false)
                try insert(contact, tx)
                try tx.run(Self.setName(key, contact: contact.id, owner: owner))
                growth += contact.rowBytes
                after.insert(contact.id)
            }
        }
        for contact in after.subtracting(before).sorted() {
            try addMention(of: contact, in: id, at: capture.at, owner: owner, &changes, tx)
        }
        for contact in before.subtracting(after).sorted() { try removeMention(of: contact, in: id, owner: owner, &changes, tx) }
        return growth
    }

    /// Adds a mention. Does nothing if the capture mentions the contact already.
    func addMention(
        of contact: String, in capture: String, at time: Timestamp, owner: String, _ changes: inout MentionChanges, _ tx: WriteTransaction
    ) throws {
        let added = try tx.run(
            """
            INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(owner), \(capture), \(contact), \(time))
            ON CONFLICT DO NOTHING
            """)
        changes[contact, default: 0] += Int64(added)
    }

    func removeMention(
        of contact: String, in capture: String, owner: String, _ changes: inout MentionChanges, _ tx: WriteTransaction
    ) throws {
        let removed = try tx.run("DELETE FROM contact_mention WHERE owner = \(owner) AND capture = \(capture) AND contact = \(contact)")
        changes[contact, default: 0] -= Int64(removed)
    }

    /// Updates how many captures mention the contacts, and when they were first and last seen. Removes contacts that no capture mentions
    /// any more and the user has not edited. It adds the changes to the stored counts instead of counting all mentions again, because a
    /// contact may have any number of captures, and other writes wait meanwhile.
    /// - Returns: bytes by which the owner's rows have grown: 0, or negative.
    func updateCounts(by changes: MentionChanges, owner: String, _ tx: WriteTransaction) throws -> Int64 {
        for (change, contacts) in Dictionary(grouping: changes.keys, by: { changes[$0, default: 0] }).sorted(by: { $0.key < $1.key }) {
            for part in Self.parts(of: contacts) { try tx.run(Self.updateCounts(by: change, of: part, owner: owner)) }
        }
        var growth: Int64 = 0
        for part in Self.parts(of: changes.filter { $0.value <= 0 }.map(\.key)) {
            for row in try tx.rows(Self.removeUnmentioned(among: part, owner: owner)) {
                growth -= try row.get("row_bytes", as: Int64.self)
            }
        }
        return growth
    }

    /// Parts of at most 500 contacts, because `SQL.list` has no cached statements for longer lists.
    private static func parts(of contacts: [String]) -> [[String]] {
        let sorted = contacts.sorted()
        return stride(from: 0, to: sorted.count, by: 500).map { Array(sorted[$0..<min($0 + 500, sorted.count)]) }
    }

    func mentioned(in capture: String, owner: String, _ tx: ReadTransaction) throws -> Set<String> {
        Set(try tx.rows(Self.mentions(in: capture, owner: owner)).map { try $0.get("contact") })
    }

    /// The contacts that names stand for in this capture only, by hashed name. The user has chosen them by a split.
    func pins(of capture: String, owner: String, _ tx: ReadTransaction) throws -> [String: String] {
        try tx.rows("SELECT name, contact FROM contact_pin WHERE owner = \(owner) AND capture = \(capture)")
            .reduce(into: [:]) { $0[try $1.get("name")] = try $1.get("contact", as: String.self) }
    }

    func newContact(_ name: String, owner: String, at time: Timestamp, isByUser: Bool) -> StoredContact {
        var contact = StoredContact(
            id: identifiers.next(), owner: owner, name: name, firstSeen: time, lastSeen: time, mentionCount: 0, isByUser: isByUser,
            rowBytes: 0)
        contact.rowBytes = contact.countedBytes
        return contact
    }

    func insert(_ contact: StoredContact, _ tx: WriteTransaction) throws { try tx.run(StoredContact.table.insert(contact)) }

    /// The names of the owner's contacts, as the owner spells them, merged ones included. Leaves out names longer than
    /// `StoredContact.nameLength`, which earlier versions stored.
    func contactNames(of owner: String, _ tx: ReadTransaction) throws -> [String] {
        try tx.rows(Self.contactNames(of: owner)).compactMap { try $0.get("name", as: String?.self) }
    }

    /// The names of contacts by id. A merged contact has the name of the one into which it was merged; a deleted one has none.
    func names(of contacts: [String], owner: String, _ tx: ReadTransaction) throws -> [String: String] {
        var names: [String: String] = [:]
        var merged: [String: String] = [:]
        guard !contacts.isEmpty else { return [:] }
        for contact in try tx.list(Self.names(of: contacts, owner: owner), ContactName.init) {
            if let other = contact.mergedInto { merged[contact.id] = other } else { names[contact.id] = contact.name }
        }
        guard !merged.isEmpty else { return names }
        let others = try tx.list(Self.names(of: Array(merged.values), owner: owner), ContactName.init)
        // The other contact may be in the process of being deleted.
        let known = Dictionary(others.filter { $0.mergedInto == nil }.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        for (id, other) in merged { names[id] = known[other] }
        return names
    }

    // MARK: Statements

    static func contact(named key: String, owner: String) -> SQL {
        "SELECT contact, given_at FROM contact_name WHERE owner = \(owner) AND name = \(key)"
    }

    static func setName(_ key: String, contact: String?, owner: String) -> SQL {
        """
        INSERT INTO contact_name (owner, name, contact) VALUES (\(owner), \(key), \(contact))
        ON CONFLICT (owner, name) DO UPDATE SET contact = excluded.contact
        """
    }

    /// Keeps a name that the user gave a contact and that captures now mention. It is then not forgotten when the contact gets other names.
    static func keepName(_ key: String, owner: String) -> SQL {
        "UPDATE contact_name SET given_at = NULL WHERE owner = \(owner) AND name = \(key)"
    }

    static func mentions(in capture: String, owner: String) -> SQL {
        "SELECT contact FROM contact_mention WHERE owner = \(owner) AND capture = \(capture)"
    }

    /// Reads two mentions of each contact, the first one and the last one.
    static func updateCounts(by change: Int64, of contacts: [String], owner: String) -> SQL {
        // Without the bound on `at`, SQLite might read all mentions of the owner, by the primary key.
        let mentions: SQL = """
            SELECT contact_mention.at FROM contact_mention
            WHERE contact_mention.contact = contact.id AND contact_mention.at >= \(Timestamp(microseconds: .min))
                AND contact_mention.owner = \(owner)
            """
        return """
            UPDATE contact SET mention_count = mention_count + \(change),
                first_seen = COALESCE((\(sql: mentions) ORDER BY contact_mention.at LIMIT 1), first_seen),
                last_seen = COALESCE((\(sql: mentions) ORDER BY contact_mention.at DESC LIMIT 1), last_seen)
            WHERE id IN (\(sql: .list(contacts))) AND owner = \(owner)
            """
    }

    static func removeUnmentioned(among contacts: [String], owner: String) -> SQL {
        """
        DELETE FROM contact WHERE id IN (\(sql: .list(contacts))) AND owner = \(owner) AND by_user = 0 AND mention_count = 0
        RETURNING row_bytes
        """
    }

    /// A name that is too long becomes NULL. With a condition instead, an account with many such names would make each read go through all
    /// of its contacts.
    static func contactNames(of owner: String) -> SQL {
        """
        SELECT CASE WHEN length(name) <= \(StoredContact.nameLength) THEN name END AS name
        FROM contact WHERE owner = \(owner) AND (merged_into IS NULL OR merged_into <> \(deletedMark))
        ORDER BY id DESC LIMIT 2000
        """
    }

    static func contacts(_ ids: [String], owner: String) -> SQL {
        "\(sql: StoredContact.table.select) WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)"
    }

    /// The statement does not read the notes, which may be long: a page of summaries names up to 2,000 contacts.
    static func names(of contacts: [String], owner: String) -> SQL {
        "SELECT id, name, merged_into FROM contact WHERE id IN (\(sql: .list(contacts))) AND owner = \(owner)"
    }
}

private struct ContactName: Sendable {
    let id: String
    let name: String
    /// As `StoredContact.mergedInto`.
    let mergedInto: String?

    init(_ row: inout RowReader) throws {
        id = try row.next("id")
        name = try row.next("name")
        mergedInto = try row.next("merged_into")
    }
}
