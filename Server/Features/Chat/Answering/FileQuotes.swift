import Core
import Foundation
import Intelligence

/// Chooses the sentences of a file that answer a question. Long texts keep a processor busy, so accounts and networks take turns. In a
/// turn, the server reads a part of one file, on threads that serve no request.
struct FileQuotes: Sendable {
    /// The most sentences that an answer quotes from one file.
    static let perFile = 2
    /// How many sentences of a file are compared with the question, from the start of the file. A text of 100,000 characters has fewer,
    /// unless its sentences are very short.
    static let mostConsidered = 5_000

    /// How long a file is read in a turn.
    static let partTime: Duration = .milliseconds(20)

    let work: FairWork
    /// Limits how many files are read at a time: their texts stay in memory between the turns.
    let reading = FairSemaphore(FileQuotes.readingLimits)

    init(work: FairWork = FairWork(FileQuotes.limits(processors: ProcessInfo.processInfo.activeProcessorCount))) {
        self.work = work
    }

    /// Half of the processors stay free. The queue has room for as many answers as `AnswerWriter` writes at a time, so it refuses none.
    static func limits(processors: Int) -> FairSemaphore.Limits {
        let atOnce = max(1, processors / 2)
        let answers = AnswerWriter.Settings().atOnce
        return FairSemaphore.Limits(
            permits: atOnce, permitsPerKey: 1, permitsPerNetwork: max(1, atOnce * 3 / 4), waiting: answers.total,
            waitingPerKey: answers.perAccount, waitingPerNetwork: answers.perNetwork)
    }

    /// Four networks that take all they can get leave two permits to others. The queue has room for as many answers as the queue of
    /// `limits`.
    static var readingLimits: FairSemaphore.Limits {
        let answers = AnswerWriter.Settings().atOnce
        return FairSemaphore.Limits(
            permits: 10, permitsPerKey: 1, permitsPerNetwork: 2, waiting: answers.total, waitingPerKey: answers.perAccount,
            waitingPerNetwork: answers.perNetwork, reserve: 2, small: 1)
    }

    /// - Parameters:
    ///   - isAttached: whether the file is attached to the message that asks the question.
    ///   - readText: returns `nil` if the file has no text. It is called with a permit of `reading`, so that waiting answers hold no texts.
    ///     All accounts wait for these permits, so a read must be short, and must not wait for the account's share of the database threads.
    ///     The database therefore counts the read as the server's own.
    /// - Returns: sentences, exactly as in the text.
    /// - Throws: `FairQueueRefusal` or `Problem` when too many answers wait; `CancellationError`; the errors of `readText`.
    func choose(
        _ question: Question, isAttached: Bool, for owner: String, from readText: () async throws -> String?
    ) async throws -> [String] {
        let requester = Requester(account: owner, network: Requester.current.network)
        let permit = try await reading.acquire(for: requester, holder: Requester.source?.turns)
        defer { permit.release() }
        guard let text = try await Requester.server.run({ try await readText() }) else { return [] }
        // "What is this?" with a file is about the file: its first sentence says most about it.
        guard !question.isEmpty || isAttached else { return [] }
        let file = CheckedSentences(text, question)
        return try await work.computeInTurns(from: file, for: requester, partTime: Self.partTime) { $0.performStep() }.standing
    }
}

/// Chooses the sentences of a text, then checks that they are in the text, in steps.
private struct CheckedSentences: Sendable {
    private let text: String
    /// `nil` once the sentences are chosen.
    private var sentences: FileSentences?
    /// `nil` before the sentences are chosen.
    private var check: SentenceCheck?

    init(_ text: String, _ question: Question) {
        self.text = text
        sentences = FileSentences(text, question)
    }

    /// The chosen sentences that are in the text.
    var standing: [String] { check?.standing ?? [] }

    /// - Returns: whether another step must follow.
    mutating func performStep() -> Bool {
        guard let isUnfinished = sentences?.readPart() else { return check?.readPart() ?? false }
        guard !isUnfinished else { return true }
        let chosen = sentences?.chosen ?? []
        sentences = nil
        guard !chosen.isEmpty else { return false }
        check = SentenceCheck(chosen, in: text)
        return true
    }
}
