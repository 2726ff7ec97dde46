import Core
import Database
import Foundation

/// Reading answers that are being written.
extension ChatStore {
    /// The state of an answer, with the pieces that a reader does not have.
    struct Progress: Sendable {
        var answer: StoredMessage
        /// The pieces from the requested one on.
        var texts: [String]
    }

    /// About how many bytes of pieces a reader gets at a time, so that one who reads slowly occupies little memory.
    static let progressByteCount = 65_536

    /// The first of `texts`, until they have `progressByteCount` bytes in total.
    static func beginning(of texts: ArraySlice<String>) -> [String] {
        var byteCount = 0
        return Array(
            texts.prefix { text in
                defer { byteCount += text.utf8.count }
                return byteCount < progressByteCount
            })
    }

    /// The next pieces of an answer's text, about `progressByteCount` bytes of them.
    /// - Parameter first: the number of the first piece to return; the answer's first piece is 1.
    /// - Returns: `nil` when the answer no longer exists.
    func progress(of answer: String, owner: String, from first: Int64) async throws -> Progress? {
        guard var progress = try await wholeProgress(of: answer, owner: owner, from: first) else { return nil }
        progress.texts = Self.beginning(of: progress.texts[...])
        return progress
    }

    /// All pieces of an answer's text, from a given one on.
    /// - Returns: `nil` when the answer no longer exists.
    func wholeProgress(of answer: String, owner: String, from first: Int64 = 1) async throws -> Progress? {
        try await database.read { tx in
            guard let answer = try message(answer, owner: owner, tx) else { return nil }
            return Progress(answer: answer, texts: try pieces(of: answer, from: first, tx))
        }
    }

    func pieces(of answer: StoredMessage, from first: Int64, _ tx: ReadTransaction) throws -> [String] {
        var texts: [String] = []
        for row in try tx.rows(Self.pieces(of: answer.id, owner: answer.owner, from: first)) {
            let begin: Int64 = try row.get("first")
            let all = try Self.texts(json: try row.get("texts"))
            texts += all.dropFirst(Int(max(0, first - begin)))
        }
        return texts
    }

    /// The answer of a conversation that a client may resume: the latest one, if it is being written or ended a short time ago.
    func resumable(_ conversation: String, owner: String) async throws -> StoredMessage? {
        try await database.read { tx in
            guard let conversation = try self.conversation(conversation, owner: owner, tx),
                let answer = try tx.first(Self.latestAnswer(in: conversation.id, owner: owner), StoredMessage.init)
            else { return nil }
            if answer.state == .writing { return answer }
            return answer.endedAt.map { $0 + ChatRules.resumption >= clock.now } == true ? answer : nil
        }
    }

    private static func texts(json: String) throws -> [String] {
        guard let texts = try? JSONDecoder().decode([String].self, from: Data(json.utf8)) else { throw DatabaseError.column("texts") }
        return texts
    }
}
