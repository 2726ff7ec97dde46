import Core
import Database
import Media

/// Which contacts a capture mentions. Call these methods under `lockSummaries`.
extension CaptureStore {
    /// Replaces a capture's mentions by those of `names`. Makes contacts for new names, and removes contacts that no capture mentions any
    /// more and the user has not edited.
    /// - Returns: bytes by which the owner's rows have grown.
    func mention(_ names: [String], in capture: StoredCapture, _ tx: WriteTransaction) throws -> Int64 {
        let (owner, id) = (capture.owner, capture.id)
        let before = try mentioned(in: id, owner: owner, tx)
        let pins = try pins(of: id, owner: owner, tx)
        var after: Set<String> = []
        var growth: Int64 = 0
        for name in names {
            let name = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard !name.isEmpty, name.count <= StoredContact.nameLength else { continue }
            let key = StoredContact.key(name, of: owner)
            if let pinned = pins[key] {
                after.insert(pinned)
            } else if let row = try tx.row(Self.contact(named: key, owner: owner)) {
                // Without a contact, the user has deleted the contact of this name.
                if let known: String = try row.get("contact") { after.insert(known) }
            } else {
                let contact = newContact(name, owner: owner, at: capture.at, isByUser: false)
                try insert(contact, tx)
                try tx.run(Self.setName(key, contact: contact.id, owner: owner))
                growth += contact.rowBytes
                after.insert(contact.id)
            }
        }
        for contact in after.subtracting(before).sorted() {
            try tx.run(
                """
                INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(owner), \(id), \(contact), \(capture.at))
                ON CONFLICT DO NOTHING
                """)
        }
        let gone = before.subtracting(after)
        for contact in gone.sorted() {
            try tx.run("DELETE FROM contact_mention WHERE owner = \(owner) AND capture = \(id) AND contact = \(contact)")
        }
        for contact in after.symmetricDifference(before).sorted() { growth += try recount(contact, owner: owner, tx) }
        return growth
    }

    /// Counts a contact's captures again, and removes it when there are none left and the user has not edited it.
    /// - Returns: bytes by which the owner's rows have grown: 0, or negative.
    func recount(_ contact: String, owner: String, _ tx: WriteTransaction) throws -> Int64 {
        guard let row = try tx.row(Self.mentions(of: contact, owner: owner)) else { return 0 }
        let count: Int64 = try row.get("n")
        if let first: Timestamp = try row.get("first"), let last: Timestamp = try row.get("last") {
            try tx.run(
                """
                UPDATE contact SET mention_count = \(count), first_seen = \(first), last_seen = \(last)
                WHERE id = \(contact) AND owner = \(owner)
                """)
            return 0
        }
        let removed = try tx.row("DELETE FROM contact WHERE id = \(contact) AND owner = \(owner) AND by_user = 0 RETURNING row_bytes")
        if let removed { return -(try removed.get("row_bytes", as: Int64.self)) }
        try tx.run("UPDATE contact SET mention_count = 0 WHERE id = \(contact) AND owner = \(owner)")
        return 0
    }

    func mentioned(in capture: String, owner: String, _ tx: ReadTransaction) throws -> Set<String> {
        Set(try tx.rows(Self.mentions(in: capture, owner: owner)).map { try $0.get("contact") })
    }

    /// Contacts by hashed name.
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

    /// The names of the owner's contacts, as the owner spells them, merged ones included.
    func contactNames(of owner: String, _ tx: ReadTransaction) throws -> [String] {
        try tx.rows(Self.contactNames(of: owner)).map { try $0.get("name") }
    }

    /// The names of contacts by id. A merged contact has the name of the one that stands for it; a deleted one has none.
    func names(of contacts: [String], owner: String, _ tx: ReadTransaction) throws -> [String: String] {
        var names: [String: String] = [:]
        var merged: [String: String] = [:]
        guard !contacts.isEmpty else { return [:] }
        for contact in try tx.list(Self.contacts(contacts, owner: owner), StoredContact.init) {
            if let other = contact.mergedInto { merged[contact.id] = other } else { names[contact.id] = contact.name }
        }
        guard !merged.isEmpty else { return names }
        let others = try tx.list(Self.contacts(Array(merged.values), owner: owner), StoredContact.init)
        let known = Dictionary(others.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        for (id, other) in merged { names[id] = known[other] }
        return names
    }

    // MARK: Statements

    static func contact(named key: String, owner: String) -> SQL {
        "SELECT contact FROM contact_name WHERE owner = \(owner) AND name = \(key)"
    }

    static func setName(_ key: String, contact: String?, owner: String) -> SQL {
        """
        INSERT INTO contact_name (owner, name, contact) VALUES (\(owner), \(key), \(contact))
        ON CONFLICT (owner, name) DO UPDATE SET contact = excluded.contact
        """
    }

    static func mentions(in capture: String, owner: String) -> SQL {
        "SELECT contact FROM contact_mention WHERE owner = \(owner) AND capture = \(capture)"
    }

    static func mentions(of contact: String, owner: String) -> SQL {
        "SELECT COUNT(*) AS n, MIN(at) AS first, MAX(at) AS last FROM contact_mention WHERE contact = \(contact) AND owner = \(owner)"
    }

    static func contactNames(of owner: String) -> SQL {
        "SELECT name FROM contact WHERE owner = \(owner) ORDER BY id DESC LIMIT 2000"
    }

    static func contacts(_ ids: [String], owner: String) -> SQL {
        "\(sql: StoredContact.table.select) WHERE id IN (\(sql: .list(ids))) AND owner = \(owner)"
    }
}
