import Core
import Database
import FeatureKit
import Live
import Media
import Search
import Web

/// All SQL of conversations and messages, in this file and its extensions. The SQL of attached files is in `ChatFileStore`.
struct ChatStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let files: ChatFiles
    let search = SearchIndex()
    let events: EventLog
    let identifiers: Identifiers
    var maxTombstones = ChatRules.maxTombstones

    var clock: WallClock { identifiers.clock }

    /// The name of an account's lock. Each write that adds or deletes messages of the account takes it before it reads them, so that a file
    /// is deleted only when no message holds it.
    static func lock(_ owner: String) -> String { "chat " + owner }

    // MARK: Reading

    /// A message with the files that it holds.
    struct Whole: Sendable, Equatable {
        var message: StoredMessage
        var files: [ChatFile]
    }

    /// - Returns: `nil` when there is none, it belongs to another account, or it was deleted.
    func conversation(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredConversation? {
        try tx.first(Self.conversation(id, owner: owner), StoredConversation.init)
    }

    func message(_ id: String, owner: String, _ tx: ReadTransaction) throws -> StoredMessage? {
        try tx.first(Self.message(id, owner: owner), StoredMessage.init)
    }

    func message(_ id: String, owner: String) async throws -> StoredMessage? {
        try await database.first(Self.message(id, owner: owner), StoredMessage.init)
    }

    /// Adds to each message the files that it holds. The order stays.
    func wholes(_ messages: [StoredMessage], owner: String, _ tx: ReadTransaction) throws -> [Whole] {
        let questions = messages.filter(\.isByUser).map(\.id)
        guard !questions.isEmpty else { return messages.map { Whole(message: $0, files: []) } }
        var held: [String: [String]] = [:]
        let rows: [(message: String, file: String, position: Int64)] = try tx.list(Self.files(of: questions, owner: owner)) { row in
            (try row.next("message"), try row.next("file"), try row.next("position"))
        }
        for row in rows.sorted(by: { $0.position < $1.position }) { held[row.message, default: []].append(row.file) }
        let found = try files.find(Array(Set(held.values.joined())), owner: owner, tx)
        let byID = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return messages.map { Whole(message: $0, files: (held[$0.id] ?? []).compactMap { byID[$0] }) }
    }

    /// A message with its answer and their conversation, as the final object of an answer shows them.
    struct Exchange: Sendable {
        var question: Whole
        var answer: StoredMessage
        var conversation: StoredConversation
    }

    /// - Returns: `nil` when the conversation was deleted.
    func exchange(answer id: String, owner: String) async throws -> Exchange? {
        try await database.read { tx in
            guard let answer = try message(id, owner: owner, tx) else { return nil }
            return try exchange(answer, tx)
        }
    }

    func exchange(_ answer: StoredMessage, _ tx: ReadTransaction) throws -> Exchange? {
        guard let id = answer.question, let question = try message(id, owner: answer.owner, tx),
            let conversation = try conversation(answer.conversation, owner: answer.owner, tx),
            let whole = try wholes([question], owner: answer.owner, tx).first
        else { return nil }
        return Exchange(question: whole, answer: answer, conversation: conversation)
    }

    // MARK: Lists

    /// A page needs no limit in bytes: 100 conversations with titles of 200 characters take at most 150 KB.
    func conversations(owner: String, _ request: PageRequest<TimeKey>) async throws -> Page<StoredConversation, TimeKey> {
        let rows = try await database.list(
            Self.conversations(owner: owner, after: request.after, limit: request.rowLimit), StoredConversation.init)
        return Page(rows, limit: request.limit) { TimeKey(at: $0.updatedAt, id: $0.id) }
    }

    /// The limit in bytes for the texts and files of the messages in one response.
    static var pageByteCount: Int64 { PageSize.currentByteCount }

    /// Consecutive messages of a conversation.
    struct MessageRange: Sendable {
        let conversation: String
        let owner: String
        /// The position of the first message, and the position after the last one.
        let positions: Range<Int64>
        /// See `TextMeasure`.
        let byteCount: Int64
    }

    /// The latest messages of a conversation: at most `limit`, and no more than fit in one response, but at least one if there is any.
    /// - Parameter before: the id of a message of the conversation; only earlier messages are read. If `nil`, the range ends with the
    ///   latest message.
    /// - Returns: `nil` when there is no such conversation, or `before` is not one of its messages.
    func latest(in conversation: String, owner: String, before: String?, limit: Int) async throws -> MessageRange? {
        try await database.read { tx in
            guard let conversation = try self.conversation(conversation, owner: owner, tx) else { return nil }
            var end = Int64.max
            if let before {
                guard let message = try message(before, owner: owner, tx), message.conversation == conversation.id else { return nil }
                end = message.position
            }
            return try latest(in: conversation.id, owner: owner, before: end, limit: limit, within: Self.pageByteCount, in: .bytes, tx)
        }
    }

    /// The messages of the range, oldest first.
    func messages(_ range: MessageRange) async throws -> [Whole] {
        guard !range.positions.isEmpty else { return [] }
        return try await database.read { tx in try messages(range, tx) }
    }

    func messages(_ range: MessageRange, _ tx: ReadTransaction) throws -> [Whole] {
        try wholes(
            tx.list(
                Self.messages(
                    of: range.conversation, owner: range.owner, from: range.positions.lowerBound,
                    before: range.positions.upperBound), StoredMessage.init), owner: range.owner, tx)
    }

    /// The latest messages before `end` whose texts together stay within a length; at least the latest one.
    func latest(
        in conversation: String, owner: String, before end: Int64, limit: Int, within length: Int64, in measure: TextMeasure,
        _ tx: ReadTransaction
    ) throws -> MessageRange {
        var (first, total, count) = (end, Int64(0), 0)
        reading: while count < limit {
            // Read only the lengths, because a database engine loads the texts of all rows that it returns. Read a few rows at a time,
            // because the engine reads a text to measure it.
            let rows: [(position: Int64, length: Int64)] = try tx.list(
                Self.lengths(of: conversation, owner: owner, before: first, limit: min(limit - count, Self.lengthsAtOnce), in: measure)
            ) { row in (try row.next("position"), max(0, try row.next("length"))) }
            for row in rows {
                let frames = Int64(count + 1) * measure.frameByteCount
                guard count == 0 || total + row.length + frames <= length else { break reading }
                (first, total, count) = (row.position, total + row.length, count + 1)
            }
            if rows.count < Self.lengthsAtOnce { break }
        }
        return MessageRange(conversation: conversation, owner: owner, positions: first..<end, byteCount: total)
    }

    private static let lengthsAtOnce = 32

    /// How many of the first hits fit in one response; at least one.
    /// - Returns: that number, and the size of those messages in bytes. The size is `nil` when some of the hits are files: the messages
    ///   that hold them are not known yet.
    func fitting(_ hits: [SeparateSearch.Hit], owner: String) async throws -> (count: Int, byteCount: Int64?) {
        guard !hits.isEmpty else { return (0, 0) }
        let ids = hits.filter { $0.kind == StoredMessage.kind }.map(\.id)
        guard !ids.isEmpty else { return (hits.count, nil) }
        let sizes = try await database.read { tx in try self.sizes(of: ids, owner: owner, tx) }
        var rest = Self.pageByteCount
        let fitting = hits.prefix { hit in
            rest -= (sizes[hit.id] ?? 0) + TextMeasure.bytes.frameByteCount
            return rest >= 0
        }
        let shown = hits.prefix(max(1, fitting.count))
        let byteCount: Int64 = shown.reduce(0) { $0 + (sizes[$1.id] ?? 0) }
        return (shown.count, shown.allSatisfy { $0.kind == StoredMessage.kind } ? byteCount : nil)
    }

    /// The sizes of the messages, in bytes.
    private func sizes(of ids: [String], owner: String, _ tx: ReadTransaction) throws -> [String: Int64] {
        let rows: [(id: String, size: Int64)] = try tx.list(Self.sizes(ids, owner: owner)) { (try $0.next("id"), try $0.next("size")) }
        return Dictionary(rows.map { ($0.id, max(0, $0.size)) }) { first, _ in first }
    }

    /// The messages of a search's hits, each with its conversation, in the order of `hits` and without repetitions. A hit may be a file; of
    /// the messages that hold one, only those are included whose texts fit in one response.
    func found(_ hits: [SeparateSearch.Hit], owner: String) async throws -> [(Whole, title: String)] {
        guard !hits.isEmpty else { return [] }
        return try await database.read { tx in
            let files = hits.filter { $0.kind != StoredMessage.kind }.map(\.id)
            var holders: [String: [String]] = [:]
            if !files.isEmpty {
                for row in try tx.rows(Self.holders(of: files, owner: owner)) {
                    holders[try row.get("file"), default: []].append(try row.get("message"))
                }
            }
            var seen: Set<String> = []
            var ids = hits.flatMap { $0.kind == StoredMessage.kind ? [$0.id] : holders[$0.id] ?? [] }.filter { seen.insert($0).inserted }
            guard !ids.isEmpty else { return [] }
            if !holders.isEmpty {
                let (sizes, found) = (try self.sizes(of: ids, owner: owner, tx), Set(hits.map(\.id)))
                var rest = Self.pageByteCount
                ids.removeAll { id in
                    guard !found.contains(id) else { return false }
                    rest -= (sizes[id] ?? 0) + TextMeasure.bytes.frameByteCount
                    return rest < 0
                }
            }
            let messages = try tx.list(Self.messages(ids, owner: owner), StoredMessage.init)
            // The messages may have been deleted since the search.
            guard !messages.isEmpty else { return [] }
            let conversations = try tx.list(Self.conversations(messages.map(\.conversation), owner: owner), StoredConversation.init)
            let titles = Dictionary(conversations.map { ($0.id, $0.title) }) { first, _ in first }
            let wholes = try wholes(messages, owner: owner, tx)
            let byID = Dictionary(wholes.map { ($0.message.id, $0) }) { first, _ in first }
            return ids.compactMap { id in
                byID[id].flatMap { whole in titles[whole.message.conversation].map { (whole, title: $0) } }
            }
        }
    }

    // MARK: Changing

    /// - Returns: `nil` when there is no such conversation.
    func rename(_ id: String, to title: String, owner: String) async throws -> StoredConversation? {
        try await database.write { tx in
            try tx.lock(Self.lock(owner))
            guard var conversation = try conversation(id, owner: owner, tx) else { return nil }
            let (counted, old) = (conversation.rowBytes, conversation.title)
            conversation.title = title
            conversation.isRenamed = true
            conversation.rowBytes = conversation.countedBytes
            try tx.run(
                """
                UPDATE chat_conversation SET title = \(title), is_renamed = 1, row_bytes = \(conversation.rowBytes)
                WHERE owner = \(owner) AND id = \(id)
                """)
            // Without this check, other devices would fetch a conversation that has not changed.
            if title != old { try events.emit(.chatConversation, ChatEvent(conversationId: id), to: owner, tx) }
            // This comes last, because it locks the account's usage.
            try library.change(rowFrom: counted, counted, to: conversation.rowBytes, owner: owner, tx)
            return conversation
        }
    }
}
