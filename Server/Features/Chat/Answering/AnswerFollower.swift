import Core

/// Reads an answer piece by piece for one request: from this node's memory if this node writes the answer, otherwise from the database.
struct AnswerFollower {
    /// How often the follower reads the database while no signal comes, in case a signal was lost.
    private static let poll: Duration = .seconds(1)

    private let store: ChatStore
    private let writer: AnswerWriter
    private let following: AnswerSignals.Following
    private let answer: StoredMessage
    /// How many pieces the reader has received.
    private(set) var index: Int

    /// - Parameters:
    ///   - answer: the answer's row when the request arrived.
    ///   - index: how many pieces the reader has received already.
    init(_ answer: StoredMessage, after index: Int, store: ChatStore, writer: AnswerWriter) {
        self.store = store
        self.writer = writer
        self.answer = answer.withoutText
        self.index = index
        following = writer.signals.follow(answer.id)
    }

    enum Step: Sendable {
        /// The next pieces of the text; more may be there already.
        case pieces([String])
        /// No piece came in the time that the caller gave.
        case silence
        /// The answer has ended; its row, without the text, says how. No piece follows.
        case ended(StoredMessage)
        /// The answer was started again, or its conversation was deleted.
        case superseded
        /// This node is stopping. Another node can send the rest.
        case stopping
    }

    /// Waits for the next step, but not much longer than `silence`.
    /// - Throws: errors of the database; `CancellationError`.
    mutating func next(within silence: Duration) async throws -> Step {
        let end = ContinuousClock.now + silence
        while true {
            try Task.checkCancellation()
            // The flag is read before the pieces, so that a piece that comes in between ends the wait.
            let flag = following.flag
            if let live = writer.writing(answer) {
                let texts = live.read(after: index)
                if !texts.isEmpty { return take(texts) }
                guard .now < end else { return .silence }
                await following.wait(after: flag, until: end)
            } else {
                guard let progress = try await store.progress(of: answer.id, owner: answer.owner, from: Int64(index) + 1),
                    progress.answer.attempt == answer.attempt
                else { return .superseded }
                if !progress.texts.isEmpty { return take(progress.texts) }
                guard progress.answer.state == .writing else { return .ended(progress.answer.withoutText) }
                guard !writer.signals.isOver else { return .stopping }
                guard .now < end else { return .silence }
                await following.wait(after: flag, until: min(end, .now + Self.poll))
            }
        }
    }

    /// Skips to the end of what has been written.
    /// - Returns: the length of the text so far, in bytes; 0 also when its pieces are no longer stored.
    mutating func skip() async throws -> Int {
        let texts: [String]
        if let live = writer.writing(answer) {
            texts = live.texts
        } else {
            texts = try await store.wholeProgress(of: answer.id, owner: answer.owner)?.texts ?? []
        }
        index = texts.count
        return texts.reduce(0) { $0 + $1.utf8.count }
    }

    /// The first `byteCount` bytes of the text. They do not change while the answer grows.
    /// - Returns: `nil` when the answer was started again, or no longer exists.
    func text(ofByteCount byteCount: Int) async throws -> String? {
        let text: String
        if let live = writer.writing(answer) {
            text = live.whole
        } else {
            guard let progress = try await store.wholeProgress(of: answer.id, owner: answer.owner),
                progress.answer.attempt == answer.attempt
            else { return nil }
            text = progress.texts.isEmpty ? progress.answer.text : progress.texts.joined()
        }
        return text.utf8.count <= byteCount ? text : String(decoding: text.utf8.prefix(byteCount), as: UTF8.self)
    }

    private mutating func take(_ texts: [String]) -> Step {
        index += texts.count
        return .pieces(texts)
    }

    /// Waits until the answer has ended.
    /// - Returns: its row; `nil` when it was started again, was deleted, or this node stops.
    mutating func end() async throws -> StoredMessage? {
        while true {
            switch try await next(within: .seconds(15)) {
            case .pieces, .silence: continue
            case .ended(let answer): return answer
            case .superseded, .stopping: return nil
            }
        }
    }
}
