import Ask
import Core
import Foundation
import Intelligence
import KeepsakeWire

/// The provider `local`: answers with sentences quoted from the user's entries and from the files of the conversation. It writes no
/// sentence of its own about the user's life.
struct LocalAnswers: Sendable {
    let store: ChatStore
    let answers: Answers
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    let fileQuotes: FileQuotes

    /// The most files of the conversation that are read. The latest files come first.
    private static let fileCount = 10
    /// The most characters that are read of each file.
    private static let fileLength = 100_000
    /// The most sentences that are quoted from all files together.
    private static let mostFileQuotes = 5

    func lines(_ exchange: ChatStore.Exchange, _ reason: ChatProviders.LocalReason) async throws -> [String] {
        let owner = exchange.answer.owner
        let text = ChatRules.questionText(of: exchange.question.message.text)
        let earlier = try await store.earlierQuestion(than: exchange.question.message).map { earlier in
            Answers.Earlier.asked(ChatRules.questionText(of: earlier.text), at: earlier.createdAt)
        }
        let (question, answer) = try await answers.answer(text, after: earlier, isLocal: true, for: owner)
        let zone = try await timeZone(owner)
        var lines = (answer?.sources ?? []).map { source in
            ChatLines.quote(
                source.sentence, from: .init(kind: source.item.kind, at: source.at, zone: zone, sentence: source.sentence))
        }
        lines += try await fileLines(exchange, question)
        // Entries of the same kind and minute with the same words make equal lines, and so do files with the same name. Keep each line
        // once.
        var seen: Set<String> = []
        lines = lines.filter { seen.insert($0).inserted }
        return [ChatLines.opening(reason, foundSomething: !lines.isEmpty)] + lines
    }

    private func fileLines(_ exchange: ChatStore.Exchange, _ question: Question) async throws -> [String] {
        let owner = exchange.answer.owner
        let attached = Set(exchange.question.files.map(\.id))
        var lines: [String] = []
        for file in try await store.filesOfConversation(upTo: exchange.question.message, limit: Self.fileCount) where file.hasText {
            guard lines.count < Self.mostFileQuotes else { break }
            let sentences = try await fileQuotes.choose(question, isAttached: attached.contains(file.id), for: owner) {
                try await store.files.text(file.id, owner: owner, limit: Self.fileLength)
            }
            lines += sentences.map { ChatLines.quote($0, fromFile: file.name) }
        }
        return Array(lines.prefix(Self.mostFileQuotes))
    }
}
