import Core
import Database
import Live
import Media
import Search
import Web

/// Storing a message, and beginning its answer.
extension ChatStore {
    enum Begun: Sendable {
        /// The caller writes this answer.
        case new(Exchange)
        /// The message was sent before; its answer is being written, or is complete.
        case known(Exchange)
    }

    /// Stores a message and an empty answer, whose text the caller then writes.
    /// - Parameters:
    ///   - words: the words of the message's text.
    ///   - provider: the provider that answers.
    ///   - model: the name of the provider's model.
    /// - Throws: `.notFound` for a conversation or a file that the owner does not have; `.gone` for a message that was deleted; `.invalid`
    ///   for a file that is attached to too many messages; `.tooLarge` when the text exceeds the quota; `.unprocessable` when the request's
    ///   `Idempotency-Key` was used for another message.
    func begin(
        _ asked: ChatRules.Question, _ words: SearchWords, provider: String, model: String, owner: String
    ) async throws -> Begun {
        let (fresh, answerID, conversationID) = (identifiers.next(), identifiers.next(), identifiers.next())
        return try await database.write { tx in
            try tx.lock(Self.lock(owner))
            let now = clock.now
            if let id = asked.messageID {
                if let known = try message(id, owner: owner, tx) {
                    return try again(known, asked, provider: provider, model: model, now: now, tx)
                }
                guard try tx.row(Self.tombstone(of: id, owner: owner, now)) == nil else {
                    throw asked.isNamedByKey ? Problem.createdByKeyDeleted : .messageDeleted
                }
            }
            let held = try attachments(asked.files, owner: owner, tx)
            var conversation = try self.conversation(
                of: asked, firstFile: held.first?.name, freshID: conversationID, owner: owner, now: now, tx)
            let last: String? = try tx.row(
                """
                SELECT id FROM chat_message
                WHERE owner = \(owner) AND conversation = \(conversation.id) AND position = \(conversation.lastPosition)
                """
            )?.get("id")
            let question = Self.newMessage(of: asked, freshID: fresh, after: last, in: conversation, now: now)
            let answer = Self.newAnswer(id: answerID, to: question, provider: provider, model: model)
            conversation.lastPosition = answer.position
            conversation.updatedAt = max(now, conversation.updatedAt)
            try tx.run(
                """
                UPDATE chat_conversation SET last_position = \(conversation.lastPosition), updated_at = \(conversation.updatedAt)
                WHERE owner = \(owner) AND id = \(conversation.id)
                """)
            for message in [question, answer] { try tx.run(StoredMessage.table.insert(message, with: ["stopping": false])) }
            try attach(held, to: question, tx)
            try index(question, words, tx)
            try events.emit(
                .chatMessage, ChatEvent(conversationId: conversation.id, messageId: question.id), to: owner, tx)
            let conversationBytes = asked.conversation == nil ? conversation.rowBytes : 0
            // This comes last, because it locks the account's usage.
            try library.count(rowBytes: conversationBytes + question.rowBytes + answer.rowBytes, owner: owner, tx)
            return .new(Exchange(question: Whole(message: question, files: held), answer: answer, conversation: conversation))
        }
    }

    /// The files of a new message.
    private func attachments(_ ids: [String], owner: String, _ tx: WriteTransaction) throws -> [ChatFile] {
        guard !ids.isEmpty else { return [] }
        let held = try files.find(ids, owner: owner, tx)
        guard held.count == ids.count else { throw Problem.noSuchAttachment }
        guard try tx.row(Self.full(held.map(\.id))) == nil else { throw Problem.attachedTooOften }
        return held
    }

    private func attach(_ held: [ChatFile], to question: StoredMessage, _ tx: WriteTransaction) throws {
        guard !held.isEmpty else { return }
        for (index, file) in held.enumerated() {
            try tx.run(
                """
                INSERT INTO chat_message_file (owner, message, file, position)
                VALUES (\(question.owner), \(question.id), \(file.id), \(Int64(index)))
                """)
        }
        try files.markSent(held.map(\.id), owner: question.owner, at: question.createdAt, tx)
    }

    /// The conversation that the message names. If it names none, a new one is stored.
    private func conversation(
        of asked: ChatRules.Question, firstFile: String?, freshID: String, owner: String, now: Timestamp, _ tx: WriteTransaction
    ) throws -> StoredConversation {
        if let id = asked.conversation {
            guard let known = try conversation(id, owner: owner, tx) else { throw Problem.noSuchConversation }
            return known
        }
        var new = StoredConversation(
            owner: owner, id: freshID, title: ChatRules.title(of: asked.text, firstFile: firstFile), isRenamed: false,
            endpoint: asked.endpoint, lastPosition: 0, createdAt: now, updatedAt: now, rowBytes: 0)
        new.rowBytes = new.countedBytes
        try tx.run(StoredConversation.table.insert(new))
        try events.emit(.chatConversation, ChatEvent(conversationId: new.id), to: owner, tx)
        return new
    }

    /// Makes the row of the user's message.
    /// - Parameter last: the conversation's last message; `nil` when it has none.
    private static func newMessage(
        of asked: ChatRules.Question, freshID: String, after last: String?, in conversation: StoredConversation, now: Timestamp
    ) -> StoredMessage {
        StoredMessage(
            owner: conversation.owner, id: asked.messageID ?? freshID, conversation: conversation.id,
            position: conversation.lastPosition + 1, parent: last, question: nil, text: asked.text, endpoint: asked.endpoint,
            provider: nil, model: nil, state: .done, isUnfinished: false, error: nil, attempt: 0, leaseUntil: nil, frameCount: 0,
            endedAt: nil, createdAt: now, updatedAt: now, rowBytes: StoredMessage.countedBytes(asked.text))
    }

    /// Makes the row of an answer that has no text yet.
    private static func newAnswer(id: String, to question: StoredMessage, provider: String, model: String) -> StoredMessage {
        let now = question.createdAt
        return StoredMessage(
            owner: question.owner, id: id, conversation: question.conversation, position: question.position + 1, parent: question.id,
            question: question.id, text: "", endpoint: question.endpoint, provider: provider, model: model, state: .writing,
            isUnfinished: true, error: nil, attempt: 1, leaseUntil: now + lease, frameCount: 0, endedAt: nil, createdAt: now,
            updatedAt: now, rowBytes: StoredMessage.countedBytes(""))
    }

    /// Handles a message that was sent before. If its answer failed, was stopped or was cut short, the answer is started again.
    private func again(
        _ known: StoredMessage, _ asked: ChatRules.Question, provider: String, model: String, now: Timestamp, _ tx: WriteTransaction
    ) throws -> Begun {
        guard known.isByUser else {
            throw Problem(.invalid, "messageId is the id of an answer. Use a new messageId for each message.", field: "messageId")
        }
        let owner = known.owner
        guard var answer = try tx.first(Self.answer(to: known.id, owner: owner), StoredMessage.init),
            let exchange = try exchange(answer, tx)
            // Only while a conversation is being deleted does a message exist without its answer or its conversation.
        else { throw asked.isNamedByKey ? Problem.createdByKeyDeleted : .messageDeleted }
        if asked.isNamedByKey {
            let held = try files.find(asked.files, owner: owner, tx)
            guard asked.isRepeat(of: exchange.question, held) else { throw Problem.keyOfOtherRequest }
        }
        let isAbandoned = answer.state == .writing && (answer.leaseUntil ?? now) < now
        guard isAbandoned || answer.state != .writing && answer.isUnfinished else { return .known(exchange) }
        let counted = answer.rowBytes
        answer.text = ""
        (answer.provider, answer.model, answer.state, answer.isUnfinished) = (provider, model, .writing, true)
        (answer.error, answer.endedAt, answer.frameCount) = (nil, nil, 0)
        (answer.isAway, answer.retryAt) = (false, nil)
        answer.attempt += 1
        answer.leaseUntil = now + Self.lease
        answer.updatedAt = now
        answer.rowBytes = StoredMessage.countedBytes("")
        try tx.run(
            """
            UPDATE chat_message SET text = '', provider = \(provider), model = \(model), state = \(answer.state.rawValue),
                is_unfinished = 1, error = NULL, is_away = 0, retry_at = NULL, ended_at = NULL, frame_count = 0, stopping = 0,
                attempt = \(answer.attempt),
                lease_until = \(answer.leaseUntil), updated_at = \(now), row_bytes = \(answer.rowBytes)
            WHERE owner = \(owner) AND id = \(answer.id)
            """)
        try tx.run("DELETE FROM chat_piece WHERE owner = \(owner) AND message = \(answer.id)")
        try search.remove(kind: StoredMessage.kind, id: answer.id, owner: owner, tx)
        try events.emit(.chatMessage, ChatEvent(conversationId: answer.conversation, messageId: answer.id), to: owner, tx)
        tx.wake(Wake(.chatAnswers, answer.id))
        try library.note(rowBytes: answer.rowBytes - counted, owner: owner, tx)
        var begun = exchange
        begun.answer = answer
        return .new(begun)
    }
}

extension ChatRules.Question {
    /// - Parameter held: those of the request's files that still exist. A stored message loses files that are deleted.
    /// - Returns: whether this request repeats the one that stored `known` under the same key.
    fileprivate func isRepeat(of known: ChatStore.Whole, _ held: [ChatFile]) -> Bool {
        let isInSameConversation = conversation.map { $0 == known.message.conversation } ?? (known.message.position == 1)
        return text == known.message.text && endpoint == known.message.endpoint && isInSameConversation
            && held.map(\.id) == known.files.map(\.id)
    }
}
