import Core
import Foundation
import Intelligence

/// Chooses the sentences of a file that answer a question. Long texts keep a processor busy, so accounts and networks take turns. In a
/// turn, the server reads one file in steps, on threads that serve no request.
struct FileQuotes: Sendable {
    /// The most sentences that an answer quotes from one file.
    static let perFile = 2
    /// How many sentences the search examines, from the start of the file. A text of 100,000 characters has fewer, unless they are very
    /// short.
    static let mostConsidered = 5_000

    let work: FairWork

    init(work: FairWork = FairWork(FileQuotes.limits(processors: ProcessInfo.processInfo.activeProcessorCount))) {
        self.work = work
    }

    /// Half of the processors stay free. The queue has room for as many answers as `AnswerWriter` writes at a time, so none is refused
    /// here.
    static func limits(processors: Int) -> FairSemaphore.Limits {
        let atOnce = max(1, processors / 2)
        let answers = AnswerWriter.Settings().atOnce
        return FairSemaphore.Limits(
            permits: atOnce, permitsPerKey: 1, permitsPerNetwork: max(1, atOnce * 3 / 4), waiting: answers.total,
            waitingPerKey: answers.perAccount, waitingPerNetwork: answers.perNetwork)
    }

    /// - Parameters:
    ///   - isAttached: whether the file is attached to the message that asks the question.
    ///   - readText: returns `nil` if the file has no text. It is called in the turn, so that waiting answers hold no texts. All accounts
    ///     wait for the turn, so the turn must not wait for this account's share of the database threads: the database counts the read as
    ///     the server's. The read must be short.
    /// - Returns: sentences, exactly as in the text.
    /// - Throws: `Problem` when too many answers wait; `CancellationError`; the errors of `readText`.
    func choose(
        _ question: Question, isAttached: Bool, for owner: String, from readText: () async throws -> String?
    ) async throws -> [String] {
        let turn = try await work.turn(Requester(account: owner, network: Requester.current.network))
        defer { turn.release() }
        guard let text = try await Requester.server.run({ try await readText() }) else { return [] }
        // "What is this?" with a file is about the file: its first sentence says most about it.
        guard !question.isEmpty || isAttached else { return [] }
        let chosen = try await work.compute(from: FileSentences(text, question)) { $0.readPart() }.chosen
        guard !chosen.isEmpty else { return [] }
        return try await work.compute(from: SentenceCheck(chosen, in: text), hasBegun: true) { $0.readPart() }.standing
    }
}
