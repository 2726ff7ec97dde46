import Core
import Database

/// Reading the messages and files from which an answer is made.
extension ChatStore {
    /// The most messages that one read of the history examines.
    private static let historyCount = 200

    /// The messages up to and including `question`, oldest first. If they exceed a limit, the oldest are left out. Answers that failed or
    /// are empty are left out too.
    func history(upTo question: StoredMessage, limit: Int, characters: Int) async throws -> [Whole] {
        try await database.read { tx in
            let end = question.position + 1
            let latest = try self.latest(
                in: question.conversation, owner: question.owner, before: end, limit: min(limit, Self.historyCount),
                within: Int64(characters), in: .characters, tx)
            return try messages(latest, tx).filter { whole in
                let message = whole.message
                return message.isByUser || message.state != .failed && message.state != .writing && !message.text.isEmpty
            }
        }
    }

    /// The user's message before this one in the conversation; `nil` when there is none among the last few.
    func earlierQuestion(than question: StoredMessage) async throws -> StoredMessage? {
        let earlier = try await database.list(
            Self.messages(
                of: question.conversation, owner: question.owner, from: question.position - 4, before: question.position),
            StoredMessage.init)
        return earlier.last { $0.isByUser }
    }

    /// The files of the conversation's messages up to this one, without repetitions. Files of the latest message come first.
    func filesOfConversation(upTo question: StoredMessage, limit: Int) async throws -> [ChatFile] {
        try await database.read { tx in
            let rows = try tx.rows(
                Self.latestFiles(in: question.conversation, owner: question.owner, upTo: question.position, limit: limit))
            var seen: Set<String> = []
            let ids: [String] = try rows.map { try $0.get("file") }.filter { seen.insert($0).inserted }
            return ids.isEmpty ? [] : try files.find(ids, owner: question.owner, tx)
        }
    }

    /// Reads the files of the last 200 messages only: the conversation may be long and hold no file.
    static func latestFiles(in conversation: String, owner: String, upTo position: Int64, limit: Int) -> SQL {
        """
        SELECT f.file FROM chat_message AS m JOIN chat_message_file AS f ON f.owner = m.owner AND f.message = m.id
        WHERE m.owner = \(owner) AND m.conversation = \(conversation) AND m.position <= \(position) AND m.position > \(position - 200)
        ORDER BY m.position DESC LIMIT \(limit)
        """
    }
}

/// Reading a conversation to export it.
extension ChatStore {
    func conversation(_ id: String, owner: String) async throws -> StoredConversation? {
        try await database.first(Self.conversation(id, owner: owner), StoredConversation.init)
    }

    /// The next messages of a conversation, oldest first; empty when there are no more or it was deleted.
    func exportPage(of conversation: String, owner: String, after last: Int64, limit: Int64) async throws -> [Whole] {
        try await database.read { tx in
            guard let conversation = try self.conversation(conversation, owner: owner, tx) else { return [] }
            return try wholes(
                tx.list(
                    Self.messages(of: conversation.id, owner: owner, from: last + 1, before: last + 1 + limit), StoredMessage.init),
                owner: owner, tx)
        }
    }
}
