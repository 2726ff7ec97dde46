import Core
import Foundation
import Intelligence
import Testing

@testable import Ask

@Suite("Quotes in steps")
struct QuoteWorkTests {
    private static func source(_ texts: String...) -> AnswerSource {
        AnswerSource(kind: "memory", id: "1", at: Timestamp(seconds: 0), texts: texts.map { AnswerSource.Text(.sentences, $0) })
    }

    /// Runs all steps of the work.
    /// - Returns: the quotes, and the number of steps.
    private static func run(_ work: QuoteWork) -> (quotes: [Quote], stepCount: Int) {
        var work = work
        var stepCount = 1
        while work.performStep(), stepCount < 1_000 { stepCount += 1 }
        return (work.grounded, stepCount)
    }

    @Test("quotes that are in any text of their own source stay, in their order; others are removed")
    func checked() {
        let sources = [Self.source("The boat leaks. It is blue.", "Nora painted it."), Self.source("The kayak is red.")]
        let cited = [(1, "The kayak is red."), (0, "Nora painted it."), (1, "It is blue."), (0, "It sank."), (0, "it is BLUE")]
        let quotes = cited.map { Quote(source: $0.0, sentence: $0.1) }
        let grounded = Self.run(QuoteWork(checking: quotes, atMost: .max, in: sources)).quotes
        #expect(grounded == [quotes[0], quotes[1], quotes[4]])
        #expect(grounded == quotes.filter { Grounding.stands($0.sentence, in: sources[$0.source].plainTexts) })
        #expect(Self.run(QuoteWork(checking: quotes, atMost: 2, in: sources)).quotes == [quotes[0], quotes[1]])
        #expect(Self.run(QuoteWork(checking: [], atMost: 1, in: sources)).quotes.isEmpty)
    }

    @Test("a long source is read, and its quote checked, in steps of about 16 KiB")
    func steps() throws {
        let question = Question("Does the boat leak?", contacts: [], now: Timestamp(seconds: 1_795_348_800), zone: .gmt)
        let sources = [Self.source(String(repeating: "\u{1161} ", count: 20_000) + "The boat leaks.")]
        let chooser = QuoteChooser(question, sources, weights: question.terms.map { _ in 1 })
        let (quotes, stepCount) = Self.run(QuoteWork(choosing: chooser, in: sources))
        #expect(quotes.count == 1 && quotes.first?.sentence.hasSuffix("The boat leaks.") == true, "\(quotes)")
        // The 80 KB are read twice: once to choose the quotes and once to check them.
        #expect(8...16 ~= stepCount, "\(stepCount) steps")
    }
}
