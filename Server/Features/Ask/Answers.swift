package import Core
import Foundation
package import Intelligence
package import KeepsakeWire
import Search

/// Answers questions from the asking user's own entries.
package struct Answers: Sendable {
    let store: AskStore
    let engines: Engines
    let allowsOutside: @Sendable (_ account: String) async throws -> Bool
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    let people: any KnownPeople
    let neighbours: (any NeighbourFinder)?
    let clock: WallClock
    /// Limits how many questions are answered at a time; accounts take turns.
    let work: FairSemaphore
    /// Reads the texts that were found, which keeps a processor busy; accounts and networks take turns.
    let choosing = FairWork("questions", Self.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount))

    /// Half of the processors stay free.
    static func choosingLimits(processors: Int) -> FairSemaphore.Limits {
        FairSemaphore.Limits(permits: max(1, processors / 2), permitsPerKey: 1, waiting: 256, waitingPerKey: 16)
    }

    package struct Source: Sendable {
        package let item: TimelineItem
        package let at: Timestamp
        package let id: String
        /// A sentence of the entry.
        package let sentence: String
        package let marks: [[Int]]
    }

    package struct Answer: Sendable {
        /// Different lines of `AnswerFrame`.
        package var text: String
        /// 0…1.
        package var confidence: Double
        package var sources: [Source]
        package var contacts: [AskedContact]
        package var engine: String
    }

    /// - Parameters:
    ///   - range: replaces the days that the text names.
    ///   - earlier: the last question of the same conversation; the new one takes from it what it lacks.
    ///   - isLocal: whether no model outside the installation may be asked, whatever the user allows.
    /// - Returns: the question as it was understood, and its answer; no answer when the question is about nothing.
    /// - Throws: `Problem` `.tooManyRequests` when too many questions wait; what reading throws.
    package func answer(
        _ text: String, range: TimeRange? = nil, kind: String? = nil, after earlier: Question? = nil, isLocal: Bool = false,
        for account: String
    ) async throws -> (question: Question, answer: Answer?) {
        let zone = try await timeZone(account)
        var question = Question(text, contacts: try await people.names(of: account), now: clock.now, zone: zone)
        if let range { question.range = range }
        if let earlier { question = question.completed(from: earlier) }
        guard !question.isEmpty else { return (question, nil) }
        do {
            return try await work.withPermit(for: Requester(account: account, network: Requester.current.network)) {
                (question, try await answer(question, text, kind: kind, isLocal: isLocal, zone: zone, for: account))
            }
        } catch is FairQueueRefusal {
            throw Problem(.tooManyRequests, "Too many questions are waiting. Try again shortly.", retryAfter: .seconds(2))
        }
    }

    /// A question as it was understood when it was asked, as the context of a later one.
    /// - Parameter moment: "today" is its day.
    package func question(_ text: String, at moment: Timestamp, for account: String) async throws -> Question {
        Question(text, contacts: try await people.names(of: account), now: moment, zone: try await timeZone(account))
    }

    private func answer(
        _ question: Question, _ text: String, kind: String?, isLocal: Bool, zone: TimeZone, for account: String
    ) async throws -> Answer {
        let material = try await store.material(
            AskRules.phrases(question), range: question.range, soonestFirst: question.tense == .future, kind: kind, owner: account)
        var ranked = AskRules.ranked(question, material)
        let allowsOutside = isLocal ? false : try await allowsOutside(account)
        if let neighbours {
            // Entries that words have found already keep their rank.
            for near in try await neighbours.neighbours(
                of: text, account: account, allowsOutside: allowsOutside, limit: AskRules.offeredCount)
            where kind == nil || near.kind == kind {
                let name = EntryFinder.Name(kind: near.kind, id: near.id)
                // An entry of another day answers no question about a day alone.
                if question.isAboutDays, material.inRange?[name] == nil { continue }
                guard !ranked.contains(where: { $0.name == name }) else { continue }
                // Its time is not known yet; the present fits questions about the past and about the future.
                ranked.append(.init(name: name, at: question.now, share: near.similarity))
            }
            ranked = AskRules.ordered(ranked, question)
        }
        var candidates = Array(ranked.prefix(question.isAboutDays ? AskRules.dayCount : AskRules.offeredCount))
        let read = try await store.entries(candidates.map(\.name), owner: account)
        if question.isAboutDays {
            candidates = AskRules.telling(candidates) { name in read[name].map { entry in AskRules.saysSomething(entry.texts) } ?? false }
        }
        let sources = candidates.compactMap { candidate in
            read[candidate.name].map { entry in
                AnswerSource(
                    kind: candidate.name.kind, id: candidate.name.id, at: Timestamp(milliseconds: Int64(entry.item.at)), texts: entry.texts)
            }
        }
        let contacts = question.names.isEmpty ? [] : try await people.contacts(named: question.names, of: account)
        guard !sources.isEmpty else { return Self.nothing(contacts, engine: engines.local.name) }
        let (quotes, engine) = try await quotes(question, text, sources, material, allowsOutside: allowsOutside, zone, account)
        // A final check, whatever the engine: nothing that its source does not say.
        let grounded = quotes.filter { Grounding.stands($0.sentence, in: sources[$0.source].plainTexts) }
        guard !grounded.isEmpty else { return Self.nothing(contacts, engine: engine) }
        let shares = Dictionary(candidates.map { ($0.name, $0.share) }) { first, _ in first }
        let best = grounded.map { shares[.init(kind: sources[$0.source].kind, id: sources[$0.source].id)] ?? 0 }.max() ?? 0
        // Entries of the same minute with the same words make the same line. Each of them is a source, but the line is there once.
        var seen: Set<String> = []
        let lines = grounded.map { AnswerFrame.quote(at: sources[$0.source].at, $0.sentence, zone) }.filter { seen.insert($0).inserted }
        return Answer(
            text: lines.joined(separator: "\n"),
            confidence: (min(1, max(0.01, best)) * 100).rounded() / 100,
            sources: grounded.compactMap { quote in
                let source = sources[quote.source]
                return read[.init(kind: source.kind, id: source.id)].map { entry in
                    Source(
                        item: entry.item, at: source.at, id: source.id, sentence: quote.sentence,
                        marks: AskRules.marks(quote.sentence, question))
                }
            }, contacts: contacts, engine: engine)
    }

    /// A model chooses among the sources, if one may work for the user; if it fails or quotes nothing that is in them, the local rules do.
    private func quotes(
        _ question: Question, _ text: String, _ sources: [AnswerSource], _ material: AskStore.Material, allowsOutside: Bool,
        _ zone: TimeZone, _ account: String
    ) async throws -> ([Quote], String) {
        if let model = engines.languageModel(outside: allowsOutside) {
            do {
                if let quotes = try await ModelCiter(model).quotes(text, sources, owner: account, zone: zone) {
                    return (Array(quotes.prefix(AskRules.citedCount(question))), model.name)
                }
            } catch is EngineFailure {
                // The ledger has recorded it.
            }
        }
        let weights = AskRules.weights(question, counts: material.found.counts, total: material.found.total)
        let few = Array(sources.prefix(AskRules.sourceCount(question)))
        let turn = try await choosing.turn(Requester(account: account, network: Requester.current.network))
        defer { turn.release() }
        let quotes = try await choosing.compute { QuoteChooser.quotes(question, few, weights: Array(weights.prefix(question.terms.count))) }
        return (quotes, engines.local.name)
    }

    private static func nothing(_ contacts: [AskedContact], engine: String) -> Answer {
        Answer(text: AnswerFrame.nothing, confidence: 0, sources: [], contacts: contacts, engine: engine)
    }
}
