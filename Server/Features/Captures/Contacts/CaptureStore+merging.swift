import Core
import Database
import Live
import Media
import Web

/// Merges and deletes contacts. A contact may have any number of captures and names, and stand for any number of other contacts. One write
/// for all of them would delay all other writes, so merging and deleting take several writes.
extension CaptureStore {
    /// The most names, captures and merged contacts that one write changes.
    static let mergeCount = 500
    /// The most merged contacts that one write changes. They are fewer than `mergeCount`, because contacts may have long notes.
    private static let mergedCount = 100

    // MARK: Merging

    /// The most writes of one request. Without this limit, two requests that merge two contacts into each other would never end.
    private static let mergeStepCount = 1_000

    private enum MergeStep {
        case unfinished
        /// The merge is finished, and this contact remains.
        case finished(ShownContact?)
    }

    /// Moves all captures and names of one contact to another.
    /// - Returns: the contact that remains; `nil` when `id` does not exist.
    /// - Throws: `.notFound` when `other` does not exist; `.invalid` when the two are the same; `.conflict` when there is too much to move.
    func merge(_ id: String, into other: String, owner: String) async throws -> ShownContact? {
        // If the server stops in between, each contact has a part of the captures and names, and a repeated request moves the rest.
        for _ in 0..<Self.mergeStepCount {
            let step = try await database.write { tx in try mergeSome(of: id, into: other, owner: owner, tx) }
            if case .finished(let remaining) = step { return remaining }
        }
        throw Problem(.conflict, "Only some of the contact's captures are merged so far. Send the request again.")
    }

    private func mergeSome(of id: String, into other: String, owner: String, _ tx: WriteTransaction) throws -> MergeStep {
        try lockSummaries(of: owner, tx)
        guard let contact = try contact(id, owner: owner, tx) else { return .finished(nil) }
        guard let target = try self.contact(other, owner: owner, tx) else { throw Problem.unknownContact(in: "into") }
        guard contact.id != target.id else {
            throw Problem(.invalid, "A contact cannot be merged into itself.", field: "into")
        }
        guard try moveAll(of: contact.id, to: target.id, owner: owner, tx) else {
            // Without this, a write that changes or deletes the contact's captures might remove the contact before the last step.
            try tx.run("UPDATE contact SET by_user = 1 WHERE id = \(contact.id) AND owner = \(owner)")
            return .unfinished
        }
        var (merged, remaining) = (contact, target)
        // The target gets only what it lacks, so that the two together count as many bytes as before.
        if target.relationship == nil { (merged.relationship, remaining.relationship) = (nil, contact.relationship) }
        if target.notes == nil { (merged.notes, remaining.notes) = (nil, contact.notes) }
        merged.rowBytes += merged.countedBytes - contact.countedBytes
        remaining.rowBytes += remaining.countedBytes - target.countedBytes
        // Only one of the two keeps the photo, so that no photo gets more contacts than `facesOfPhoto`.
        try tx.run(
            """
            UPDATE contact SET merged_into = \(target.id), mention_count = 0, face_capture = NULL, relationship = \(merged.relationship),
                notes = \(merged.notes), row_bytes = \(merged.rowBytes)
            WHERE id = \(contact.id) AND owner = \(owner)
            """)
        try tx.run(
            """
            UPDATE contact SET by_user = 1, relationship = \(remaining.relationship), notes = \(remaining.notes),
                face_capture = COALESCE(face_capture, \(contact.faceCapture)), row_bytes = \(remaining.rowBytes)
            WHERE id = \(target.id) AND owner = \(owner)
            """)
        try events.emit(.contactChanged, CaptureEvent(id: target.id), to: owner, tx)
        try events.emit(.contactDeleted, CaptureEvent(id: contact.id), to: owner, tx)
        return .finished(try self.contact(target.id, owner: owner, tx).map { try shown($0, tx) })
    }

    /// Moves names, merged contacts and captures of a contact to another one. It moves the names first, so that no new capture mentions the
    /// contact.
    /// - Returns: whether everything has been moved. If not, call it again, in another write.
    private func moveAll(of contact: String, to other: String, owner: String, _ tx: WriteTransaction) throws -> Bool {
        var left = Self.mergeCount
        left -= try tx.run(Self.moveNames(of: contact, to: other, owner: owner, limit: left))
        guard left > 0 else { return false }
        left -= try tx.run(Self.movePins(of: contact, to: other, owner: owner, limit: left))
        guard left > 0 else { return false }
        let merged = try tx.deletionStep(limit: min(left, Self.mergedCount)) { Self.merged(into: contact, owner: owner, limit: $0) }
        guard merged.isEmpty else {
            try tx.run(Self.moveMerged(merged, from: contact, to: other, owner: owner))
            return false
        }
        let added = try tx.run(Self.addMentions(of: contact, to: other, owner: owner, limit: left))
        let removed = try tx.run(Self.removeMentions(of: contact, owner: owner, limit: left))
        // The contact must stay even without captures, because its id must still lead to the other contact. So this runs the statement
        // `updateCounts(by:of:owner:)`, and does not call the method `updateCounts(by:owner:_:)`, which would remove a contact that has no
        // captures left.
        try tx.run(Self.updateCounts(by: Int64(-removed), of: [contact], owner: owner))
        try tx.run(Self.updateCounts(by: Int64(added), of: [other], owner: owner))
        return removed < left
    }

    // MARK: Deleting

    /// The value of `merged_into` for a contact that is being deleted. No contact has this id, so nobody finds the contact any more.
    static let deletedMark = ""

    /// Deletes a contact. Later captures that mention its names, or names of contacts merged into it, do not make a new contact.
    /// - Returns: whether there was such a contact.
    func deleteContact(_ id: String, owner: String) async throws -> Bool {
        // The first write hides the contact, and the others delete it. If the server stops in between, `finishDeletions` deletes the rest.
        let hidden = try await database.write { tx -> String? in
            try lockSummaries(of: owner, tx)
            guard let contact = try contact(id, owner: owner, tx) else { return nil }
            let answerBytes = try IdempotencyStore.forget(contact.resource, of: owner, tx)
            try tx.run(Self.hide(contact.id, owner: owner))
            try events.emit(.contactDeleted, CaptureEvent(id: contact.id), to: owner, tx)
            try library.note(rowBytes: -answerBytes, owner: owner, tx)
            return contact.id
        }
        guard let hidden else { return false }
        try await finishDeletion(of: hidden, owner: owner)
        return true
    }

    /// Deletes what is left of contacts whose deletion was interrupted.
    /// - Throws: the first error, after it has tried all contacts.
    func finishDeletions() async throws {
        var failed: Set<String> = []
        var first: (any Error)?
        while true {
            let hidden: [(id: String, owner: String)] = try await database.list(Self.hidden(limit: 100 + failed.count)) { row in
                (id: try row.next("id"), owner: try row.next("owner"))
            }
            let untried = hidden.filter { !failed.contains($0.id) }
            if untried.isEmpty { break }
            for contact in untried {
                try Task.checkCancellation()
                do {
                    try await finishDeletion(of: contact.id, owner: contact.owner)
                } catch {
                    failed.insert(contact.id)
                    first = first ?? error
                }
            }
        }
        if let first { throw first }
    }

    /// - Parameter contact: a contact that is hidden already.
    private func finishDeletion(of contact: String, owner: String) async throws {
        while try await database.write({ tx in try deleteSome(of: contact, owner: owner, tx) }) {}
    }

    /// - Returns: whether something is left.
    private func deleteSome(of contact: String, owner: String, _ tx: WriteTransaction) throws -> Bool {
        try lockSummaries(of: owner, tx)
        var left = Self.mergeCount
        left -= try tx.run(Self.moveNames(of: contact, to: nil, owner: owner, limit: left))
        guard left > 0 else { return true }
        left -= try tx.run(Self.removePins(of: contact, owner: owner, limit: left))
        guard left > 0 else { return true }
        left -= try tx.run(Self.removeMentions(of: contact, owner: owner, limit: left))
        guard left > 0 else { return true }
        let merged = try tx.deletionStep(limit: min(left, Self.mergedCount)) { Self.merged(into: contact, owner: owner, limit: $0) }
        let last = Self.deleteHidden(contact, owner: owner)
        let rows = try tx.rows(merged.isEmpty ? last : Self.deleteMerged(into: contact, among: merged, owner: owner))
        let freed: Int64 = try rows.reduce(0) { try $0 + $1.get("row_bytes", as: Int64.self) }
        try library.note(rowBytes: -freed, owner: owner, tx)
        return !merged.isEmpty
    }

    // MARK: Statements

    /// Moves names of a contact. A name of a merged contact always finds the other contact, even if it is a name that the user gave.
    /// - Parameter other: `nil` for names of a deleted contact, which make no new contact.
    static func moveNames(of contact: String, to other: String?, owner: String, limit: Int) -> SQL {
        """
        UPDATE contact_name SET contact = \(other), given_at = NULL WHERE owner = \(owner) AND name IN (
            SELECT name FROM contact_name WHERE contact = \(contact) AND owner = \(owner) LIMIT \(limit))
        """
    }

    static func movePins(of contact: String, to other: String, owner: String, limit: Int) -> SQL {
        "UPDATE contact_pin SET contact = \(other) \(sql: somePins(of: contact, owner: owner, limit: limit))"
    }

    static func removePins(of contact: String, owner: String, limit: Int) -> SQL {
        "DELETE FROM contact_pin \(sql: somePins(of: contact, owner: owner, limit: limit))"
    }

    private static func somePins(of contact: String, owner: String, limit: Int) -> SQL {
        """
        WHERE owner = \(owner) AND (owner, capture, name) IN (
            SELECT owner, capture, name FROM contact_pin WHERE contact = \(contact) AND owner = \(owner) LIMIT \(limit))
        """
    }

    /// Adds mentions of `other` to captures that mention `contact`, the earliest captures first.
    static func addMentions(of contact: String, to other: String, owner: String, limit: Int) -> SQL {
        """
        INSERT INTO contact_mention (owner, capture, contact, at)
        SELECT owner, capture, \(other), at FROM contact_mention \(sql: firstMentions(of: contact, owner: owner, limit: limit))
        ON CONFLICT DO NOTHING
        """
    }

    /// Removes the mentions of `contact` that `addMentions` has copied.
    static func removeMentions(of contact: String, owner: String, limit: Int) -> SQL {
        """
        DELETE FROM contact_mention WHERE owner = \(owner) AND contact = \(contact) AND capture IN (
            SELECT capture FROM contact_mention \(sql: firstMentions(of: contact, owner: owner, limit: limit)))
        """
    }

    private static func firstMentions(of contact: String, owner: String, limit: Int) -> SQL {
        // Without the bound on `at`, SQLite would read all mentions of the owner, by the primary key, for the sake of `owner = …`.
        "WHERE contact = \(contact) AND at >= \(Timestamp(microseconds: .min)) AND owner = \(owner) ORDER BY at, capture LIMIT \(limit)"
    }

    static func merged(into contact: String, owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM contact WHERE merged_into = \(contact) AND owner = \(owner) LIMIT \(limit)"
    }

    static func moveMerged(_ ids: [String], from contact: String, to other: String, owner: String) -> SQL {
        """
        UPDATE contact SET merged_into = \(other)
        WHERE merged_into = \(contact) AND owner = \(owner) AND id IN (\(sql: .list(ids)))
        """
    }

    static func deleteMerged(into contact: String, among ids: [String], owner: String) -> SQL {
        "DELETE FROM contact WHERE merged_into = \(contact) AND owner = \(owner) AND id IN (\(sql: .list(ids))) RETURNING row_bytes"
    }

    /// Also marks the contact as edited by the user, so that it is not removed before its names, even if no capture mentions it any more.
    static func hide(_ contact: String, owner: String) -> SQL {
        "UPDATE contact SET merged_into = \(deletedMark), by_user = 1 WHERE id = \(contact) AND owner = \(owner)"
    }

    static func hidden(limit: Int) -> SQL { "SELECT id, owner FROM contact WHERE merged_into = \(deletedMark) LIMIT \(limit)" }

    static func deleteHidden(_ contact: String, owner: String) -> SQL {
        "DELETE FROM contact WHERE id = \(contact) AND owner = \(owner) AND merged_into = \(deletedMark) RETURNING row_bytes"
    }
}
