import Core
import Database
import FeatureKit
import Live
import Media
import Search

/// Deleting conversations with every trace.
extension ChatStore {
    /// Messages deleted in one write, so that other writes do not wait long.
    private static let batchCount = 100
    /// The same in counted bytes: texts of 256 KB with their index entries. Removing those entries takes longest.
    private static let batchByteCount: Int64 = 2 << 20

    /// Deletes a conversation, its messages, and the files that no other message holds. From the first write on nobody sees it; after a crash
    /// `deleteRest` deletes what is left.
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

    /// Goes on with conversations whose deletion was interrupted.
    func deleteRest() async throws {
        let rows = try await database.read { tx in try tx.rows(Self.deletedConversations(before: clock.now - .minutes(1))) }
        for row in rows { _ = try await deleteMessages(of: row.get("id"), owner: row.get("owner")) }
    }

    private func deleteMessages(of conversation: String, owner: String) async throws -> Int {
        var count = 0
        while true {
            let deleted = try await database.write { tx in try deleteSome(of: conversation, owner: owner, tx) }
            guard deleted > 0 else { return count }
            count += deleted
        }
    }

    /// - Returns: how many messages were deleted; after the last one the conversation itself is deleted and it is 0.
    private func deleteSome(of conversation: String, owner: String, _ tx: WriteTransaction) throws -> Int {
        try tx.lock(Self.lock(owner))
        let found: [(id: String, rowBytes: Int64)] = try tx.list(
            Self.someMessages(of: conversation, owner: owner, limit: Self.batchCount)
        ) { row in (try row.next("id"), try row.next("row_bytes")) }
        var total: Int64 = 0
        let messages = found.prefix { message in
            defer { total += message.rowBytes }
            return total == 0 || total + message.rowBytes <= Self.batchByteCount
        }
        guard !messages.isEmpty else {
            let row = try tx.row(
                """
                DELETE FROM chat_conversation WHERE owner = \(owner) AND id = \(conversation) AND deleted_at IS NOT NULL RETURNING row_bytes
                """)
            if let row { try library.note(rowBytes: -row.get("row_bytes"), owner: owner, tx) }
            return 0
        }
        let ids = messages.map(\.id)
        let held: [String] = try tx.rows(Self.files(of: ids, owner: owner)).map { try $0.get("file") }
        for id in ids {
            try search.remove(kind: StoredMessage.kind, id: id, owner: owner, tx)
            try tx.run("DELETE FROM chat_message WHERE owner = \(owner) AND id = \(id)")
        }
        if !held.isEmpty {
            let others = Set(try tx.rows(Self.held(held, owner: owner)).map { try $0.get("file", as: String.self) })
            // Last, because they lock the account's usage.
            try files.erase(Set(held).subtracting(others).sorted(), owner: owner, tx)
        }
        try library.note(rowBytes: -messages.reduce(0) { $0 + $1.rowBytes }, owner: owner, tx)
        return messages.count
    }

    // MARK: Accounts

    /// - Returns: how many rows of an account that is being deleted are gone.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        for table in Self.erasures(of: owner, limit: limit) {
            let ids: [String] = try tx.list(table.ids) { try $0.next("id") }
            for id in ids { try tx.send(table.delete(id)) }
            if !ids.isEmpty { return ids.count }
        }
        return 0
    }

    private static func erasures(of owner: String, limit: Int) -> [(ids: SQL, delete: (String) -> SQL)] {
        [
            (
                "SELECT id FROM chat_message WHERE owner = \(owner) ORDER BY id LIMIT \(limit)",
                { "DELETE FROM chat_message WHERE owner = \(owner) AND id = \($0)" }
            ),
            (
                "SELECT id FROM chat_conversation WHERE owner = \(owner) ORDER BY id LIMIT \(limit)",
                { "DELETE FROM chat_conversation WHERE owner = \(owner) AND id = \($0)" }
            ),
        ]
    }
}
