import Core
import Database
import Foundation
import Live
import Media

/// Moves some captures of a contact to another person. Later analyses of these captures do not move them back.
///
/// The analyses are read and decoded before the writes: an analysis may hold a long text of a picture, and decoding it within a write would
/// delay every other write.
extension CaptureStore {
    /// The most captures that one write gives to the other person.
    static let splitCount = 50
    /// The most captures whose analyses one read decodes.
    static let splitReadCount = 10

    /// - Returns: those of the captures that mention the contact; `nil` when the contact does not exist.
    /// - Throws: `.invalid` when none of the captures mentions the contact.
    func mentioning(_ id: String, among captures: [String], owner: String) async throws -> [String]? {
        let found = try await database.read { tx -> [String]? in
            guard let contact = try contact(id, owner: owner, tx) else { return nil }
            var found: [String] = []
            // Reads at most 500 captures at a time, because `SQL.list` has no cached statements for longer lists.
            for start in stride(from: 0, to: captures.count, by: 500) {
                let part = Array(captures[start..<min(start + 500, captures.count)])
                found += try mentioning(contact.id, among: part, owner: owner, tx).keys
            }
            return found
        }
        if let found, found.isEmpty { throw Problem.nothingToSplit }
        return found
    }

    /// - Returns: the versions of the captures that mention the contact.
    private func mentioning(_ contact: String, among captures: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Int64] {
        try tx.rows(Self.mentions(of: contact, in: captures, owner: owner))
            .reduce(into: [:]) { $0[try $1.get("capture", as: String.self)] = try $1.get("version", as: Int64.self) }
    }

    /// What a split needs of a capture.
    struct SplitCapture: Sendable {
        let id: String
        let at: Timestamp
        let hour: CaptureHour
        let version: Int64
        /// The keys of the names in its analysis.
        let nameKeys: [String]

        private struct Mentions: Decodable { let mentionedNames: [String]? }

        init(_ row: inout RowReader, owner: String) throws {
            id = try row.next("id")
            at = try row.next("at")
            hour = CaptureHour(
                zone: try row.next("zone"), day: try row.next("day"), hour: try row.next("hour"), start: try row.next("hour_start"))
            version = try row.next("version")
            let analysis: String? = try row.next("analysis")
            let mentions = analysis.flatMap { try? JSONDecoder().decode(Mentions.self, from: Data($0.utf8)) }
            // Earlier versions stored longer names, which no contact has.
            let names = mentions?.mentionedNames?.filter { $0.unicodeScalars.count <= StoredContact.nameLength } ?? []
            nameKeys = names.map { StoredContact.key($0, of: owner) }
        }
    }

    /// - Parameter ids: at most `splitReadCount`.
    func splitCaptures(_ ids: [String], owner: String) async throws -> [SplitCapture] {
        try await database.list(Self.splitCaptures(ids, owner: owner)) { try SplitCapture(&$0, owner: owner) }
    }

    /// Moves the captures to another person, `splitCount` in each write. If the server stops in between, a retry continues: it finds the
    /// captures that still mention the contact.
    /// - Parameter captures: captures that no longer mention the contact are skipped.
    /// - Returns: the response about the other contact; `nil` when the contact does not exist.
    /// - Throws: `.invalid` when none of the captures mentions the contact; `.tooLarge` beyond the quota; `.conflict` when the other contact
    ///   was deleted meanwhile, or merged with this one.
    func split<Answer: Sendable>(
        _ id: String, owner: String, captures: [SplitCapture], name: String,
        answering: @escaping @Sendable (ShownContact, WriteTransaction) throws -> Answer
    ) async throws -> Answer? {
        let parts = stride(from: 0, to: captures.count, by: Self.splitCount).map { start in
            Array(captures[start..<min(start + Self.splitCount, captures.count)])
        }
        guard let last = parts.last, let first = captures.map(\.at).min() else { throw Problem.nothingToSplit }
        let person = OtherPerson(name: name, firstSeen: first)
        var target: String?
        for part in parts.dropLast() {
            let made = try await database.write { [target] tx -> String? in
                guard let (contact, growth) = try give(part, of: id, owner: owner, to: person, target, tx) else { return nil }
                try library.count(rowBytes: growth, owner: owner, tx)
                return contact.id
            }
            guard let made else { return nil }
            target = made
        }
        return try await database.write { [target] tx -> Answer? in
            guard let (contact, growth) = try give(last, of: id, owner: owner, to: person, target, tx) else { return nil }
            let answer = try answering(try shown(contact, tx), tx)
            try library.count(rowBytes: growth, owner: owner, tx)
            return answer
        }
    }

    /// The person who gets the captures.
    struct OtherPerson: Sendable {
        let name: String
        let firstSeen: Timestamp
    }

    /// - Parameters:
    ///   - captures: at most `splitCount`.
    ///   - target: the other person's contact, which the first write of the split has chosen; `nil` in the first write.
    /// - Returns: the other person's contact, and bytes by which the owner's rows have grown; `nil` when the contact does not exist.
    /// - Throws: `.invalid` when none of the captures mentions the contact; `.conflict` when `target` was deleted meanwhile, or merged with
    ///   the contact.
    func give(
        _ captures: [SplitCapture], of id: String, owner: String, to person: OtherPerson, _ target: String?, _ tx: WriteTransaction
    ) throws -> (StoredContact, Int64)? {
        for capture in captures.map(\.id).sorted() { try tx.lock(Self.lock(capture, of: owner)) }
        try lockSummaries(of: owner, tx)
        guard let contact = try contact(id, owner: owner, tx) else { return nil }
        // Read the mentions again under the locks.
        let versions = try mentioning(contact.id, among: captures.map(\.id), owner: owner, tx)
        guard target != nil || !versions.isEmpty else { throw Problem.nothingToSplit }
        let other: (id: String, isNew: Bool)
        if let target {
            // If the target was merged meanwhile, this finds the contact into which it was merged.
            guard let known = try self.contact(target, owner: owner, tx), known.id != contact.id else { throw Problem.splitMeanwhile }
            other = (known.id, false)
        } else {
            other = try splitTarget(person, from: contact, tx)
        }
        var changes: MentionChanges = [:]
        for known in captures {
            guard let version = versions[known.id] else { continue }
            // If the versions differ, another write has changed the capture since its names were read.
            var capture = known
            if version != known.version {
                capture = try tx.first(Self.splitCaptures([known.id], owner: owner)) { try SplitCapture(&$0, owner: owner) } ?? known
            }
            try pin(capture, owner: owner, from: contact.id, to: other.id, &changes, tx)
            try touch(known.hour, owner: owner, tx)
        }
        let freed = try updateCounts(by: changes, owner: owner, tx)
        guard let made = try self.contact(other.id, owner: owner, tx) else { return nil }
        try events.emit(.contactChanged, CaptureEvent(id: made.id), to: owner, tx)
        return (made, (other.isNew ? made.rowBytes : 0) + freed)
    }

    /// The contact of this name; a new one when there is none, or when only `contact` has the name, because two people may share it.
    private func splitTarget(
        _ person: OtherPerson, from contact: StoredContact, _ tx: WriteTransaction
    ) throws -> (id: String, isNew: Bool) {
        let key = StoredContact.key(person.name, of: contact.owner)
        let known = try self.contact(named: key, owner: contact.owner, tx)
        if let known, known.id != contact.id { return (known.id, false) }
        let made = newContact(person.name, owner: contact.owner, at: person.firstSeen, isByUser: true)
        try insert(made, tx)
        if known == nil { try tx.run(Self.setName(key, contact: made.id, owner: contact.owner)) }
        // The user decided on the first contact, too, when splitting it, so it counts as edited by the user.
        try tx.run("UPDATE contact SET by_user = 1 WHERE id = \(contact.id) AND owner = \(contact.owner)")
        return (made.id, true)
    }

    private func pin(
        _ capture: SplitCapture, owner: String, from contact: String, to other: String, _ changes: inout MentionChanges,
        _ tx: WriteTransaction
    ) throws {
        let pins = try pins(of: capture.id, owner: owner, tx)
        for key in capture.nameKeys {
            let known: String? = try pins[key] ?? tx.row(Self.contact(named: key, owner: owner))?.get("contact")
            guard known == contact else { continue }
            try tx.run(
                """
                INSERT INTO contact_pin (owner, capture, name, contact) VALUES (\(owner), \(capture.id), \(key), \(other))
                ON CONFLICT (owner, capture, name) DO UPDATE SET contact = excluded.contact
                """)
        }
        try removeMention(of: contact, in: capture.id, owner: owner, &changes, tx)
        try addMention(of: other, in: capture.id, at: capture.at, owner: owner, &changes, tx)
    }

    // MARK: Statements

    static func mentions(of contact: String, in captures: [String], owner: String) -> SQL {
        """
        SELECT contact_mention.capture, capture.version FROM contact_mention
        JOIN capture ON capture.owner = contact_mention.owner AND capture.id = contact_mention.capture
        WHERE contact_mention.owner = \(owner) AND contact_mention.capture IN (\(sql: .list(captures)))
            AND contact_mention.contact = \(contact)
        """
    }

    static func splitCaptures(_ ids: [String], owner: String) -> SQL {
        """
        SELECT id, at, zone, day, hour, hour_start, version, analysis FROM capture
        WHERE owner = \(owner) AND id IN (\(sql: .list(ids)))
        """
    }
}

extension Problem {
    fileprivate static let splitMeanwhile = Problem(
        .conflict, "The other person's contact was deleted or merged meanwhile. Send the request again for the rest of the captures.")
    fileprivate static let nothingToSplit = Problem(.invalid, "None of these captures mentions the contact.", field: "captureIds")
}
