package import Core
import Database
import FeatureKit
import Foundation
package import Intelligence
package import KeepsakeWire
import Search
import Web

/// Answers questions from the asking user's own entries.
package struct Answers: Sendable {
    let store: AskStore
    let engines: Engines
    let allowsOutside: @Sendable (_ account: String) async throws -> Bool
    let timeZone: @Sendable (_ account: String) async throws -> TimeZone
    let people: any KnownPeople
    let neighbours: (any NeighbourFinder)?
    let clock: WallClock
    /// Limits how many questions are answered at a time; accounts take turns. A question makes many short reads of the database; its
    /// request counts the permit as a held turn (`HeldTurns`), so that these reads come early.
    let work: FairSemaphore
    /// Finds the names of contacts in questions and reads the texts that were found, which keeps a processor busy; accounts and networks
    /// take turns.
    let choosing = FairWork(Self.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount))

    /// Half of the processors stay free. Every chat answer waits for a turn here, so the queue has room for all answers that `Chat` writes
    /// at a time (1,024; 128 of an account), and for other questions. A waiting question takes little memory: its contacts' names and its
    /// entries' texts are read only in its turn.
    package static func choosingLimits(processors: Int) -> FairSemaphore.Limits {
        FairSemaphore.Limits(permits: max(1, processors / 2), permitsPerKey: 1, waiting: 1_280, waitingPerKey: 144)
    }

    /// The previous question of the same conversation.
    package enum Earlier: Sendable {
        case understood(Question)
        /// - Parameter at: when the question was asked. "Today" in its text means this day.
        case asked(_ text: String, at: Timestamp)
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
        /// One line of `AnswerFrame` for each quote, without duplicates.
        package var text: String
        /// 0…1.
        package var confidence: Double
        package var sources: [Source]
        package var contacts: [AskedContact]
        package var engine: String
    }

    /// - Parameters:
    ///   - range: replaces the days that the question's text names.
    ///   - earlier: the previous question, which supplies what the new one leaves out, such as the days.
    ///   - isLocal: `true` asks no model outside the installation, even if the user allows it.
    /// - Returns: the question as it was understood, and its answer; `nil` instead of an answer when the question names nothing to look
    ///   for.
    /// - Throws: `Problem` `.tooManyRequests` or `.unavailable` when too many questions wait; errors of the database.
    package func answer(
        _ text: String, range: TimeRange? = nil, kind: String? = nil, after earlier: Earlier? = nil, isLocal: Bool = false,
        for account: String
    ) async throws -> (question: Question, answer: Answer?) {
        let zone = try await timeZone(account)
        let question = try await understood(text, range: range, after: earlier, zone, account)
        guard !question.isEmpty else { return (question, nil) }
        do {
            let requester = Requester(account: account, network: Requester.current.network)
            return try await work.withPermit(for: requester, holder: Requester.source?.turns) {
                (question, try await answer(question, text, kind: kind, isLocal: isLocal, zone: zone, for: account))
            }
        } catch is FairQueueRefusal {
            throw Problem(.tooManyRequests, "Too many questions are waiting. Try again shortly.", retryAfter: .seconds(2))
        }
    }

    /// Parses the question, and the previous one, in one turn: for a second turn, the account would have to wait for all other networks
    /// again. With 2,000 contacts it takes milliseconds, and long names take megabytes.
    private func understood(
        _ text: String, range: TimeRange?, after earlier: Earlier?, _ zone: TimeZone, _ account: String
    ) async throws -> Question {
        let now = clock.now
        return try await inTurn(account, reading: { try await people.names(of: account) }) { (names: [String]) -> Question in
            var question = Question(text, contacts: names, now: now, zone: zone)
            if let range { question.range = range }
            switch earlier {
            case nil: return question
            case .understood(let other)?: return question.completed(from: other)
            case .asked(let other, let moment)?:
                return question.completed(from: Question(other, contacts: names, now: moment, zone: zone))
            }
        }
    }

    /// Reads an input and runs `body` with it, both in the account's turn, so that requests that wait for their turn hold no input.
    ///
    /// The turn is a permit that all accounts wait for. So the task must not wait for its account's share of the database threads while it
    /// holds the turn: it runs on Swift's own threads, and the database counts the read as the server's. The read must be short.
    private func inTurn<Input: Sendable, Output: Sendable>(
        _ account: String, reading input: @escaping @Sendable () async throws -> Input,
        _ body: @escaping @Sendable (Input) throws -> Output
    ) async throws -> Output {
        try await inTurn(account) {
            let read = try await Requester.server.run { try await input() }
            return try await choosing.compute { try body(read) }
        }
    }

    /// Computes in steps, with a turn for each part: the sources of a question may be long, and all accounts wait for the turn. The permits
    /// of `work` limit how many questions keep their sources in memory between their turns.
    private func inTurns<State: Sendable>(
        _ account: String, from first: State, step: @escaping @Sendable (inout State) throws -> Bool
    ) async throws -> State {
        let requester = Requester(account: account, network: Requester.current.network)
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await choosing.computeInTurns(from: first, for: requester, step: step)
        }
    }

    /// Runs `body` in the account's turn, as the other `inTurn` does.
    private func inTurn<Output: Sendable>(_ account: String, _ body: () async throws -> Output) async throws -> Output {
        let requester = Requester(account: account, network: Requester.current.network)
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            let turn = try await choosing.turn(requester)
            defer { turn.release() }
            return try await body()
        }
    }

    private func answer(
        _ question: Question, _ text: String, kind: String?, isLocal: Bool, zone: TimeZone, for account: String
    ) async throws -> Answer {
        let material = try await store.material(
            AskRules.phrases(question), range: question.range, soonestFirst: question.tense == .future, kind: kind, owner: account)
        var ranked = try await ranked(question, material, account)
        let allowsOutside = isLocal ? false : try await allowsOutside(account)
        if let neighbours {
            // Entries that words have found already keep their rank.
            for near in try await neighbours.neighbours(
                of: text, account: account, allowsOutside: allowsOutside, limit: AskRules.offeredCount)
            where kind == nil || near.kind == kind {
                let name = EntryName(kind: near.kind, id: near.id)
                // An entry of another day answers no question about a day alone.
                if question.isAboutDays, material.inRange?[name] == nil { continue }
                guard !ranked.contains(where: { $0.name == name }) else { continue }
                // Its time is not known yet; the present fits questions about the past and about the future.
                ranked.append(.init(name: name, at: question.now, share: near.similarity))
            }
            ranked = AskRules.ordered(ranked, question)
        }
        var candidates = Array(ranked.prefix(question.isAboutDays ? AskRules.dayCount : AskRules.offeredCount))
        let texts = try await store.texts(of: candidates.map(\.name), owner: account)
        if question.isAboutDays {
            candidates = AskRules.telling(candidates) { name in texts[name].map { AskRules.saysSomething($0) } ?? false }
        }
        // Only those that are offered: a day may have many entries that are long.
        let read = try await store.entries(candidates.map(\.name), owner: account)
        let sources = candidates.compactMap { candidate -> AnswerSource? in
            guard let entry = read[candidate.name], let texts = texts[candidate.name] else { return nil }
            return AnswerSource(
                kind: candidate.name.kind, id: candidate.name.id, at: Timestamp(milliseconds: entry.position.at.milliseconds), texts: texts)
        }
        let contacts = question.names.isEmpty ? [] : try await people.contacts(named: question.names, of: account)
        guard !sources.isEmpty else { return Self.nothing(contacts, engine: engines.local.name) }
        let (grounded, engine) = try await quotes(question, text, sources, material, allowsOutside: allowsOutside, zone, account)
        guard !grounded.isEmpty else { return Self.nothing(contacts, engine: engine) }
        // Each source is an entry that was read, so there is an item for each quote.
        let quoted = grounded.compactMap { read[.init(kind: sources[$0.source].kind, id: sources[$0.source].id)] }
        let rendered = try await items(of: quoted, account)
        let shares = Dictionary(candidates.map { ($0.name, $0.share) }) { first, _ in first }
        let best = grounded.map { shares[.init(kind: sources[$0.source].kind, id: sources[$0.source].id)] ?? 0 }.max() ?? 0
        // Entries of the same minute with the same words make the same line. Each of them is a source, but the line is there once.
        var seen: Set<String> = []
        let lines = grounded.map { AnswerFrame.quote(at: sources[$0.source].at, $0.sentence, zone) }.filter { seen.insert($0).inserted }
        let finder = QuestionFinder(question)
        return Answer(
            text: lines.joined(separator: "\n"),
            confidence: (min(1, max(0.01, best)) * 100).rounded() / 100,
            sources: zip(grounded, rendered).map { quote, item in
                let source = sources[quote.source]
                return Source(
                    item: item, at: source.at, id: source.id, sentence: quote.sentence, marks: AskRules.marks(quote.sentence, question))
            }, contacts: contacts, engine: engine)
    }

    /// If the words of a question are in many entries, ranking these keeps a thread busy, so it takes a turn.
    private func ranked(_ question: Question, _ material: AskStore.Material, _ account: String) async throws -> [AskRules.Ranked] {
        let count = max(material.found.entries.count, material.inRange?.count ?? 0)
        guard count > AskRules.fewEntries else { return AskRules.ranked(question, material) }
        return try await inTurn(account) { try await choosing.compute { AskRules.ranked(question, material) } }
    }

    /// Renders the quoted entries. Rendering long ones keeps a thread busy, so it takes turns; an entry is a step.
    private func items(of entries: [EntryKind.Entry], _ account: String) async throws -> [TimelineItem] {
        let byteCount: Int64 = entries.reduce(0) { $0 + $1.byteCount }
        guard byteCount > LongWork.byteCount else { return entries.map(\.item) }
        return try await inTurns(account, from: [TimelineItem]()) { items in
            items.append(entries[items.count].item)
            return items.count < entries.count
        }
    }

    /// A model chooses quotes from the sources, if the user allows one. If it fails, or its quotes are not in the sources, the local rules
    /// choose.
    /// - Returns: quotes that occur in their sources.
    private func quotes(
        _ question: Question, _ text: String, _ sources: [AnswerSource], _ material: AskStore.Material, allowsOutside: Bool,
        _ zone: TimeZone, _ account: String
    ) async throws -> ([Quote], String) {
        if let model = engines.languageModel(outside: allowsOutside) {
            do {
                if let quotes = try await ModelCiter(model).quotes(text, sources, owner: account, zone: zone) {
                    guard !quotes.isEmpty else { return ([], model.name) }
                    let cited = try await grounded(quotes, in: sources, atMost: AskRules.citedCount(question), account)
                    if !cited.isEmpty { return (cited, model.name) }
                }
            } catch is EngineFailure {
                // The ledger has recorded the failure.
            }
        }
        let weights = AskRules.weights(question, counts: material.found.counts, total: material.found.total)
        let few = Array(sources.prefix(AskRules.sourceCount(question)))
        let chooser = QuoteChooser(question, few, weights: Array(weights.prefix(question.terms.count)))
        let chosen = try await inTurns(account, from: chooser) { $0.readPart() }
        guard !chosen.quotes.isEmpty else { return ([], engines.local.name) }
        let count = chosen.quotes.count
        return (try await grounded(chosen.quotes, in: few, atMost: count, account), engines.local.name)
    }

    /// A final check of the quotes of every engine: the first ones, at most `most`, that occur in their source. Each quote is a step. A
    /// model's answer may have 50 quotes that are nowhere in long sources, so this takes a turn for each part.
    private func grounded(
        _ quotes: [Quote], in sources: [AnswerSource], atMost most: Int, _ account: String
    ) async throws -> [Quote] {
        guard !quotes.isEmpty else { return [] }
        let checked = try await inTurns(account, from: (grounded: [Quote](), count: 0)) { state in
            let quote = quotes[state.count]
            if Grounding.stands(quote.sentence, in: sources[quote.source].plainTexts) { state.grounded.append(quote) }
            state.count += 1
            return state.count < quotes.count && state.grounded.count < most
        }
        return checked.grounded
    }

    private static func nothing(_ contacts: [AskedContact], engine: String) -> Answer {
        Answer(text: AnswerFrame.nothing, confidence: 0, sources: [], contacts: contacts, engine: engine)
    }
}
