import Core
import Database
import FeatureKit
import Live
import Media
import Search

/// Deleting conversations with everything that belongs to them.
extension ChatStore {
    /// The most messages that one write deletes, so that other writes do not wait long.
    private static let batchCount = 100

    /// Deletes a conversation, its messages, and the files that no other message holds. The first write hides the conversation from
    /// everybody. After a crash, `deleteRest` deletes the rest.
    /// - Returns: how many messages it had; `nil` when there is no such conversation.
    func delete(_ id: String, owner: String) async throws -> Int? {
        let isHidden = try await database.write { tx in
            try tx.lock(Self.lock(owner))
            let changed = try tx.run(
                "UPDATE chat_conversation SET deleted_at = \(clock.now) WHERE owner = \(owner) AND id = \(id) AND deleted_at IS NULL")
            guard changed == 1 else { return false }
            for answer in try tx.list(Self.writing(in: id, owner: owner), StoredMessage.init) {
                try tx.run("UPDATE chat_message SET stopping = 1 WHERE owner = \(owner) AND id = \(answer.id)")
                tx.wake(Wake(.chatAnswers, answer.id))
            }
            try events.emit(.chatDeleted, ChatEvent(conversationId: id), to: owner, tx)
            return true
        }
        return isHidden ? try await deleteMessages(of: id, owner: owner) : nil
    }

    /// Resumes deletions of conversations that were interrupted.
    func deleteRest() async throws {
        let rows = try await database.read { tx in try tx.rows(Self.deletedConversations(before: clock.now - .minutes(1))) }
        for row in rows { _ = try await deleteMessages(of: row.get("id"), owner: row.get("owner")) }
    }

    private func deleteMessages(of conversation: String, owner: String) async throws -> Int {
        var count = 0
        while true {
            let (files, hasMany) = try await database.read { tx in
                let step = try nextStep(of: conversation, owner: owner, tx)
                let hasMany = try tx.row(Self.tombstone(at: maxTombstones, of: owner)) != nil
                return (try heldByNoOther(step.files, tx), hasMany)
            }
            try await library.prepareErasing(files, owner: owner)
            let end = clock.now + (hasMany ? ChatRules.shortTombstoneLifetime : ChatRules.tombstoneLifetime)
            let deleted = try await database.write { tx in try deleteSome(of: conversation, owner: owner, keepingIDsUntil: end, tx) }
            guard let deleted else { return count }
            count += deleted
        }
    }

    /// What one write deletes.
    private struct Step {
        var messages: [(id: String, rowBytes: Int64)] = []
        /// The messages' files. A file that several of the messages hold is listed once for each.
        var files: [String] = []
        /// Whether the step has a single message and deletes only some of its files: a message may hold so many long files that their
        /// deletion takes several writes.
        var isPart = false
    }

    private func nextStep(of conversation: String, owner: String, _ tx: ReadTransaction) throws -> Step {
        var step = Step()
        step.messages = try tx.deletionStep(
            limit: Self.batchCount, { Self.someMessages(of: conversation, owner: owner, limit: $0) }
        ) { row in (try row.next("id"), try row.next("own_bytes")) }
        guard !step.messages.isEmpty else { return step }
        let ids = step.messages.map(\.id)
        step.files = try tx.rows(Self.files(of: ids, owner: owner)).map { try $0.get("file") }
        if ids.count == 1, step.files.count > 1 {
            let some = try tx.deletionStep(limit: step.files.count) { Self.someFiles(of: ids[0], owner: owner, limit: $0) }
            if some.count < step.files.count { (step.files, step.isPart) = (some, true) }
        }
        return step
    }

    /// - Parameter held: the files that the deleted messages hold. A file is listed once for each message that holds it.
    /// - Returns: the files that no other message holds.
    private func heldByNoOther(_ held: [String], _ tx: ReadTransaction) throws -> [String] {
        let counts = held.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        return try Dictionary(grouping: counts.keys, by: { counts[$0, default: 0] }).flatMap { count, files in
            try tx.rows(Self.unheld(files.sorted(), besides: count)).map { try $0.get("id", as: String.self) }
        }
    }

    /// - Returns: how many messages were deleted. When none were left, it deletes the conversation itself and returns `nil`.
    private func deleteSome(
        of conversation: String, owner: String, keepingIDsUntil end: Timestamp, _ tx: WriteTransaction
    ) throws -> Int? {
        try tx.lock(Self.lock(owner))
        let step = try nextStep(of: conversation, owner: owner, tx)
        guard !step.messages.isEmpty else {
            let row = try tx.row(
                """
                DELETE FROM chat_conversation WHERE owner = \(owner) AND id = \(conversation) AND deleted_at IS NOT NULL RETURNING row_bytes
                """)
            if let row { try library.note(rowBytes: -row.get("row_bytes"), owner: owner, tx) }
            return nil
        }
        let ids = step.messages.map(\.id)
        if step.isPart {
            for file in step.files {
                try tx.send("DELETE FROM chat_message_file WHERE owner = \(owner) AND message = \(ids[0]) AND file = \(file)")
            }
            try eraseUnheld(step.files, owner: owner, tx)
            return 0
        }
        try tx.run(Self.keepIDs(of: ids, owner: owner, until: end))
        for id in ids {
            try search.remove(kind: StoredMessage.kind, id: id, owner: owner, tx)
            try tx.run("DELETE FROM chat_message WHERE owner = \(owner) AND id = \(id)")
        }
        // These come last, because they lock the account's usage.
        try eraseUnheld(step.files, owner: owner, tx)
        try library.note(rowBytes: -step.messages.reduce(0) { $0 + $1.rowBytes }, owner: owner, tx)
        return step.messages.count
    }

    /// Erases the files that no message holds any more.
    private func eraseUnheld(_ held: [String], owner: String, _ tx: WriteTransaction) throws {
        guard !held.isEmpty else { return }
        let unheld: [String] = try tx.rows(Self.unheld(Set(held).sorted())).map { try $0.get("id") }
        try files.erase(unheld, owner: owner, tx)
    }

    // MARK: Accounts

    /// - Returns: how many rows were deleted of an account that is being deleted. The library deletes the rows of the files.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let messages = try tx.deletionStep(limit: limit) { Self.firstMessages(of: owner, limit: $0) }
        for id in messages { try tx.send("DELETE FROM chat_message WHERE owner = \(owner) AND id = \(id)") }
        if !messages.isEmpty { return messages.count }
        let conversations = try tx.deletionStep(limit: limit) { Self.firstConversations(of: owner, limit: $0) }
        for id in conversations { try tx.send("DELETE FROM chat_conversation WHERE owner = \(owner) AND id = \(id)") }
        if !conversations.isEmpty { return conversations.count }
        return try tx.run(Self.erasure(ofTombstonesOf: owner, limit: limit))
    }

    /// Deletes the stored ids of messages that were deleted long ago.
    func sweepTombstones() async throws { try await database.sweep { Self.expiredTombstones(before: clock.now, limit: $0) } }

    // MARK: Statements

    static func firstMessages(of owner: String, limit: Int) -> SQL {
        // The pieces of an answer that is being written are not part of `row_bytes`, so its size is NULL.
        """
        SELECT id, CASE WHEN state <> 'writing' THEN row_bytes END AS row_bytes FROM chat_message
        WHERE owner = \(owner) ORDER BY id LIMIT \(limit)
        """
    }

    static func firstConversations(of owner: String, limit: Int) -> SQL {
        "SELECT id, row_bytes FROM chat_conversation WHERE owner = \(owner) ORDER BY id LIMIT \(limit)"
    }

    /// Keeps the ids of the messages that the user has sent. It keeps no ids of answers, because the server chose those.
    /// - Parameter messages: at least one.
    static func keepIDs(of messages: [String], owner: String, until end: Timestamp) -> SQL {
        """
        INSERT INTO chat_tombstone (owner, message, expires_at)
        SELECT owner, id, \(end) FROM chat_message WHERE owner = \(owner) AND id IN (\(sql: .list(messages))) AND question IS NULL
        ON CONFLICT (owner, message) DO UPDATE SET expires_at = excluded.expires_at
        """
    }

    /// Finds a row if the account has at least `count`.
    static func tombstone(at count: Int, of owner: String) -> SQL {
        "SELECT message FROM chat_tombstone WHERE owner = \(owner) ORDER BY message LIMIT 1 OFFSET \(count - 1)"
    }

    static func tombstone(of message: String, owner: String, _ now: Timestamp) -> SQL {
        "SELECT message FROM chat_tombstone WHERE owner = \(owner) AND message = \(message) AND expires_at > \(now)"
    }

    static func expiredTombstones(before now: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM chat_tombstone WHERE (owner, message) IN (
            SELECT owner, message FROM chat_tombstone WHERE expires_at <= \(now) ORDER BY expires_at LIMIT \(limit))
        """
    }

    static func erasure(ofTombstonesOf owner: String, limit: Int) -> SQL {
        """
        DELETE FROM chat_tombstone WHERE owner = \(owner) AND message IN (
            SELECT message FROM chat_tombstone WHERE owner = \(owner) ORDER BY message LIMIT \(limit))
        """
    }
}
