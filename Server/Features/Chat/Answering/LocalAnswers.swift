import Ask
import Core
import Foundation
import Intelligence
import KeepsakeWire

/// `local`: quotes from the user's entries and from the files of the conversation, sentence by sentence as they stand there. It writes no
/// sentence of its own about the user's life.
struct LocalAnswers: Sendable {
    let store: ChatStore
    let answers: Answers
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone

    /// Files of the conversation that are read, the latest first.
    private static let fileCount = 10
    /// Characters of each file.
    private static let fileLength = 100_000
    /// Sentences of each file.
    private static let perFile = 2
    /// Sentences of all files.
    private static let fileQuotes = 5
    /// Characters of the message that are taken as a question.
    private static let questionLength = 1_000

    func lines(_ exchange: ChatStore.Exchange, _ reason: ChatProviders.LocalReason) async throws -> [String] {
        let owner = exchange.answer.owner
        let text = String(exchange.question.message.text.prefix(Self.questionLength))
        let earlier = try await store.earlierQuestion(than: exchange.question.message)
        var before: Question?
        if let earlier {
            before = try await answers.question(String(earlier.text.prefix(Self.questionLength)), at: earlier.createdAt, for: owner)
        }
        let (question, answer) = try await answers.answer(text, after: before, isLocal: true, for: owner)
        let zone = try await timeZone(owner)
        var lines = (answer?.sources ?? []).map { source in
            ChatLines.quote(
                source.sentence, from: .init(kind: source.item.kind, at: source.at, zone: zone, sentence: source.sentence))
        }
        lines += try await fileLines(exchange, question)
        // Entries of the same kind and minute with the same words make the same line, and so do files with one name.
        var seen: Set<String> = []
        lines = lines.filter { seen.insert($0).inserted }
        return [ChatLines.opening(reason, foundSomething: !lines.isEmpty)] + lines
    }

    private func fileLines(_ exchange: ChatStore.Exchange, _ question: Question) async throws -> [String] {
        let owner = exchange.answer.owner
        let attached = Set(exchange.question.files.map(\.id))
        var lines: [String] = []
        for file in try await store.filesOfConversation(upTo: exchange.question.message, limit: Self.fileCount) {
            guard lines.count < Self.fileQuotes else { break }
            guard let text = try await store.files.text(file.id, owner: owner, limit: Self.fileLength) else { continue }
            let sentences = Sentences.of(text)
            // "What is this?" with a file is about the file: its first sentence tells most.
            let chosen =
                question.isEmpty
                ? (attached.contains(file.id) ? Array(sentences.prefix(1)) : []) : Self.best(sentences, question, count: Self.perFile)
            for sentence in chosen where Grounding.stands(sentence, in: [text]) {
                lines.append(ChatLines.quote(String(sentence), fromFile: file.name))
            }
        }
        return Array(lines.prefix(Self.fileQuotes))
    }

    /// The sentences that hold most of the question's words; of equals, the first.
    static func best(_ sentences: [String], _ question: Question, count: Int) -> [String] {
        let scored = sentences.enumerated().compactMap { index, sentence -> (score: Int, index: Int, sentence: String)? in
            let words = sentence.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
            let terms = question.terms.count { term in words.contains { QuoteChooser.matches($0, term) } }
            let names = question.names.count { Grounding.stands($0, in: [sentence]) }
            let score = terms + 2 * names
            // Half of the question at least: one common word answers nothing.
            guard score > 0, 2 * (terms + names) >= question.terms.count + question.names.count else { return nil }
            return (score, index, sentence)
        }
        return scored.sorted { ($1.score, $0.index) < ($0.score, $1.index) }.prefix(count).map(\.sentence)
    }
}
