import Core
import Database
import Foundation
import Live
import Media
import Search

extension Wake.Channel {
    /// The wake channel for an answer that has grown, has ended, or shall end. The key is the answer's id.
    static let chatAnswers: Wake.Channel = "chat"
}

/// Storing the text of answers while it grows, and ending answers.
extension ChatStore {
    /// For how long the node that writes an answer may be silent before other nodes regard it as dead.
    static let lease: Duration = .seconds(20)

    // MARK: Growing

    enum Kept: Sendable, Equatable {
        case going
        /// The user wants the answer to end.
        case stopping
        /// Another attempt writes the answer, it has ended, or its conversation was deleted.
        case lost
    }

    /// Stores pieces of an answer and renews its lease.
    /// - Parameters:
    ///   - texts: the pieces that follow the stored ones; may be empty.
    ///   - first: the number of the first piece in `texts`; the answer's first piece is 1.
    func keep(_ texts: [String], from first: Int64, of answer: StoredMessage) async throws -> Kept {
        try await database.write { tx in
            let row = try tx.row(
                """
                UPDATE chat_message SET lease_until = \(clock.now + Self.lease), frame_count = \(first - 1 + Int64(texts.count))
                WHERE owner = \(answer.owner) AND id = \(answer.id) AND attempt = \(answer.attempt) AND state = 'writing'
                RETURNING stopping
                """)
            guard let row else { return .lost }
            if !texts.isEmpty {
                try insert(texts, from: first, of: answer, tx)
                tx.wake(Wake(.chatAnswers, answer.id))
            }
            return try row.get("stopping", as: Int64.self) == 1 ? .stopping : .going
        }
    }

    /// Stores pieces of an answer. If an earlier write with an unclear outcome stored some of them already, this write replaces them.
    private func insert(_ texts: [String], from first: Int64, of answer: StoredMessage, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO chat_piece (owner, message, first, last, texts)
            VALUES (\(answer.owner), \(answer.id), \(first), \(first - 1 + Int64(texts.count)), \(try Self.json(texts)))
            ON CONFLICT (owner, message, first) DO UPDATE SET last = excluded.last, texts = excluded.texts
            """)
    }

    // MARK: Ending

    struct Ending: Sendable, Equatable {
        var state: StoredMessage.State
        var isUnfinished: Bool
        /// Why the answer failed, as a message for people.
        var error: String?
        /// See `StoredMessage.isAway`.
        var isAway = false
        /// How long to wait before a retry; `nil` when that is unknown.
        var retryAfter: Duration?
    }

    /// Ends an answer.
    /// - Parameters:
    ///   - text: the answer's whole text.
    ///   - words: the words of the text.
    ///   - rest: the last pieces of the text, which are not stored yet.
    ///   - first: the number of the first piece in `rest`.
    /// - Returns: `false` when another attempt writes the answer, or the answer has ended already.
    func end(
        _ answer: StoredMessage, _ ending: Ending, text: String, _ words: SearchWords, rest: [String], from first: Int64
    ) async throws -> Bool {
        try await database.write { tx in
            try tx.lock(Self.lock(answer.owner))
            return try end(answer, ending, text: text, words, rest: rest, from: first, tx)
        }
    }

    private func end(
        _ answer: StoredMessage, _ ending: Ending, text: String, _ words: SearchWords, rest: [String], from first: Int64,
        _ tx: WriteTransaction
    ) throws -> Bool {
        let (owner, now) = (answer.owner, clock.now)
        let rowBytes = StoredMessage.countedBytes(text)
        let retryAt: Timestamp? = ending.retryAfter.map { now + $0 }
        let row = try tx.row(
            """
            UPDATE chat_message SET state = \(ending.state.rawValue), is_unfinished = \(ending.isUnfinished), error = \(ending.error),
                is_away = \(ending.isAway), retry_at = \(retryAt),
                text = \(text), frame_count = \(first - 1 + Int64(rest.count)), lease_until = NULL, ended_at = \(now),
                updated_at = \(now), row_bytes = \(rowBytes)
            WHERE owner = \(owner) AND id = \(answer.id) AND attempt = \(answer.attempt) AND state = 'writing'
            RETURNING conversation
            """)
        guard row != nil else { return false }
        if !rest.isEmpty { try insert(rest, from: first, of: answer, tx) }
        try tx.run(
            """
            UPDATE chat_conversation SET updated_at = \(now)
            WHERE owner = \(owner) AND id = \(answer.conversation) AND updated_at < \(now)
            """)
        var ended = answer
        ended.text = text
        try index(ended, words, tx)
        try events.emit(.chatMessage, ChatEvent(conversationId: answer.conversation, messageId: answer.id), to: owner, tx)
        tx.wake(Wake(.chatAnswers, answer.id))
        try library.note(rowBytes: rowBytes - answer.rowBytes, owner: owner, tx)
        return true
    }

    /// Ends answers whose node no longer renews their lease. The stored text stays, as an unfinished answer. If one answer cannot be ended,
    /// the others still are.
    /// - Parameter isWritten: whether this node still writes the answer. Such an answer is skipped: its last write may wait for other
    ///   writes of its account for longer than the lease.
    /// - Returns: how many were ended.
    /// - Throws: the first error, after the attempt to end all of them.
    @discardableResult
    func endAbandoned(except isWritten: (StoredMessage) -> Bool = { _ in false }) async throws -> Int {
        let abandoned = try await database.list(Self.abandoned(before: clock.now), StoredMessage.init).filter { !isWritten($0) }
        var failed: (any Error)?
        for answer in abandoned {
            try Task.checkCancellation()
            do {
                try await endAbandoned(answer)
            } catch {
                failed = failed ?? error
            }
        }
        if let failed { throw failed }
        return abandoned.count
    }

    private func endAbandoned(_ answer: StoredMessage) async throws {
        try await database.write { tx in
            try tx.lock(Self.lock(answer.owner))
            guard let current = try message(answer.id, owner: answer.owner, tx), current.attempt == answer.attempt,
                current.state == .writing, let lease = current.leaseUntil, lease < clock.now
            else { return }
            let pieces = try pieces(of: current, from: 1, tx)
            // An earlier version stored pieces with U+0000, which no text column can hold.
            let text = ChatRules.storable(pieces.joined())
            // The text is split into words within the transaction, because only now is it certain that no more pieces come. Abandoned
            // answers are rare.
            _ = try end(
                current, Ending(state: .stopped, isUnfinished: true), text: text, Self.words(text), rest: [],
                from: Int64(pieces.count) + 1, tx)
        }
    }

    /// Deletes the pieces of answers that can no longer be resumed.
    func sweepPieces() async throws {
        while true {
            let end = clock.now - ChatRules.resumption
            // The limit is larger than `DeletionStep.byteCount` by the factor `RowBytes.searchable`: a message counts that many bytes for
            // each byte of its text, because search stores the text several times. The pieces store it only once, so a step deletes
            // `DeletionStep.byteCount` bytes of pieces.
            let answers: [(owner: String, id: String)] = try await database.read { tx in
                try tx.deletionStep(
                    limit: 200, byteCount: RowBytes.searchable * DeletionStep.byteCount, { Self.ended(before: end, limit: $0) }
                ) { row in (try row.next("owner"), try row.next("id")) }
            }
            guard !answers.isEmpty else { return }
            try await database.write { tx in
                for (owner, id) in answers {
                    // The pieces stay if somebody has started the answer again meanwhile.
                    guard
                        try tx.run("UPDATE chat_message SET ended_at = NULL WHERE owner = \(owner) AND id = \(id) AND ended_at IS NOT NULL")
                            == 1
                    else { continue }
                    try tx.send("DELETE FROM chat_piece WHERE owner = \(owner) AND message = \(id)")
                }
            }
        }
    }

    /// Asks the nodes that write answers in a conversation to end them.
    /// - Returns: those answers; `nil` when there is no such conversation.
    func stop(_ conversation: String, owner: String) async throws -> [StoredMessage]? {
        try await database.write { tx in
            guard let conversation = try self.conversation(conversation, owner: owner, tx) else { return nil }
            let writing = try tx.list(Self.writing(in: conversation.id, owner: owner), StoredMessage.init)
            for answer in writing {
                try tx.run(
                    "UPDATE chat_message SET stopping = 1 WHERE owner = \(owner) AND id = \(answer.id) AND attempt = \(answer.attempt)")
                tx.wake(Wake(.chatAnswers, answer.id))
            }
            return writing
        }
    }

    // MARK: Helpers

    /// The searchable words of a message. Splitting a long text takes milliseconds; call it before the transaction.
    static func words(_ text: String) -> SearchWords { SearchWords([.init(field: "text", text: text)]) }

    /// - Parameter words: the words of the message's text.
    func index(_ message: StoredMessage, _ words: SearchWords, _ tx: WriteTransaction) throws {
        let document = SearchDocument(
            kind: StoredMessage.kind, id: message.id, owner: message.owner, at: message.createdAt, texts: [("text", message.text)])
        try search.put(document, words, tx)
    }

    private static func json(_ texts: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }
}
