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
    /// Limits how many questions are answered at a time, and so the memory for their sources. A question makes many short reads of the
    /// database; its request counts the permit as a held turn (`HeldTurns`), so that these reads come early.
    let work: FairSemaphore
    /// Limits how many of these questions look for entries at a time. Such a question may hold the names of many entries.
    let finding = FairSemaphore(Self.findingLimits)
    /// Finds the names of contacts in questions and reads the texts that were found, which keeps a processor busy; accounts and networks
    /// take turns.
    let choosing = FairWork(Self.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount))

    /// A question may keep its permit for long: its turns of `choosing` come one after the other, and a model may take a minute. So four
    /// networks that take all they can get (16 permits) leave 8 to other networks with questions, and 8 more to networks that have none.
    /// After a question has found its entries, it holds less than 1 MB: the texts of 8 entries, of 20,000 characters each.
    static let questionLimits = FairSemaphore.Limits(
        permits: 32, permitsPerKey: 2, permitsPerNetwork: 4, waiting: 128, waitingPerKey: 8, reserve: 8, small: 1)

    /// A question holds such a permit only until it has its entries' texts. If its words are in tens of thousands of entries, it holds about
    /// 20 MB meanwhile. Four networks that take all they can get leave two permits to others. The queue has room for all questions that are
    /// answered at a time.
    static let findingLimits = FairSemaphore.Limits(
        permits: 10, permitsPerKey: 1, permitsPerNetwork: 2, waiting: 32, waitingPerKey: 32, reserve: 2, small: 1)

    /// How long a question reads its sources in a turn. With four other networks, it is a fifth of the time between two turns.
    static let partTime: Duration = .milliseconds(20)

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
    /// - Throws: `Problem` `.tooManyRequests` when too many questions of this account or network wait, `.unavailable` when too many wait in
    ///   total; errors of the database.
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
        } catch FairQueueRefusal.keyIsFull {
            throw Problem(
                .tooManyRequests, "Too many questions from your account or network are waiting. Try again shortly.", retryAfter: .seconds(2)
            )
        } catch FairQueueRefusal.full {
            throw Problem(.unavailable, "Too many questions are waiting. Try again shortly.", retryAfter: .seconds(2))
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
            try await choosing.computeInTurns(from: first, for: requester, partTime: Self.partTime, step: step)
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
        let allowsOutside = isLocal ? false : try await allowsOutside(account)
        let near =
            try await neighbours?.neighbours(of: text, account: account, allowsOutside: allowsOutside, limit: AskRules.offeredCount) ?? []
        let requester = Requester(account: account, network: Requester.current.network)
        let found = try await finding.withPermit(for: requester, holder: Requester.source?.turns) {
            try await find(question, near, kind: kind, for: account)
        }
        let contacts = question.names.isEmpty ? [] : try await people.contacts(named: question.names, of: account)
        guard !found.sources.isEmpty else { return Self.nothing(contacts, engine: engines.local.name) }
        let (grounded, engine) = try await quotes(question, text, found, allowsOutside: allowsOutside, zone, account)
        // Entries may be long, so a question holds them only once its quotes are known. Entries that were deleted meanwhile are missing.
        let items = try await items(of: store.entries(Set(grounded.map { found.name(of: $0) }), owner: account), account)
        let quoted = grounded.filter { items[found.name(of: $0)] != nil }
        guard !quoted.isEmpty else { return Self.nothing(contacts, engine: engine) }
        let best = quoted.map { found.shares[$0.source] }.max() ?? 0
        // Entries of the same minute with the same words make the same line. Each of them is a source, but the line is there once.
        var seen: Set<String> = []
        let lines = quoted.map { AnswerFrame.quote(at: found.sources[$0.source].at, $0.sentence, zone) }
            .filter { seen.insert($0).inserted }
        let finder = QuestionFinder(question)
        return Answer(
            text: lines.joined(separator: "\n"),
            confidence: (min(1, max(0.01, best)) * 100).rounded() / 100,
            sources: quoted.compactMap { quote in
                let source = found.sources[quote.source]
                return items[found.name(of: quote)].map { item in
                    Source(
                        item: item, at: source.at, id: source.id, sentence: quote.sentence,
                        marks: AskRules.marks(quote.sentence, question, finder))
                }
            }, contacts: contacts, engine: engine)
    }

    /// What a question has found.
    private struct Found: Sendable {
        /// The best entries first.
        var sources: [AnswerSource] = []
        /// For each source, how much of the question's weight it holds, 0…1.
        var shares: [Double] = []
        /// The weight of each term of the question.
        let weights: [Double]

        func name(of quote: Quote) -> EntryName {
            EntryName(kind: sources[quote.source].kind, id: sources[quote.source].id)
        }
    }

    /// Finds the entries that may answer the question, and reads the texts of the best ones. The caller must hold a permit of `finding`.
    /// - Parameter near: entries whose meaning is near the question's.
    private func find(
        _ question: Question, _ near: [(kind: String, id: String, similarity: Double)], kind: String?, for account: String
    ) async throws -> Found {
        let material = try await store.material(
            AskRules.phrases(question), range: question.range, soonestFirst: question.tense == .future, kind: kind, owner: account)
        var ranked = try await ranked(question, material, account)
        if !near.isEmpty {
            // Entries that words have found already keep their rank.
            for entry in near where kind == nil || entry.kind == kind {
                let name = EntryName(kind: entry.kind, id: entry.id)
                // An entry of another day answers no question about a day alone.
                if question.isAboutDays, material.inRange?[name] == nil { continue }
                guard !ranked.contains(where: { $0.name == name }) else { continue }
                // Its time is not known yet; the present fits questions about the past and about the future.
                ranked.append(.init(name: name, at: question.now, share: entry.similarity))
            }
            ranked = AskRules.ordered(ranked, question)
        }
        var candidates = Array(ranked.prefix(question.isAboutDays ? AskRules.dayCount : AskRules.offeredCount))
        let texts = try await texts(of: candidates.map(\.name), account)
        if question.isAboutDays {
            candidates = AskRules.telling(candidates) { name in texts[name].map { AskRules.saysSomething($0) } ?? false }
        }
        let times = try await times(of: candidates.map(\.name), material, account)
        let weights = AskRules.weights(question, counts: material.found.counts, total: material.found.total)
        var found = Found(weights: Array(weights.prefix(question.terms.count)))
        for candidate in candidates {
            guard let ofEntry = texts[candidate.name], let at = times[candidate.name] else { continue }
            found.sources.append(AnswerSource(kind: candidate.name.kind, id: candidate.name.id, at: at, texts: ofEntry))
            found.shares.append(candidate.share)
        }
        return found
    }

    /// The texts of entries. Decoding long ones keeps a thread busy, so it takes turns; an entry is a step.
    private func texts(of names: [EntryName], _ account: String) async throws -> [EntryName: [AnswerSource.Text]] {
        let stored = try await store.texts(of: names, owner: account)
        let byteCount: Int64 = stored.values.reduce(0) { $0 + $1.byteCount }
        guard byteCount > LongWork.byteCount else { return try stored.mapValues { try $0.decoded().map(AskRules.quotable) } }
        let entries = Array(stored)
        return try await inTurns(account, from: [EntryName: [AnswerSource.Text]]()) { texts in
            let entry = entries[texts.count]
            texts[entry.key] = try entry.value.decoded().map(AskRules.quotable)
            return texts.count < entries.count
        }
    }

    /// The times of entries that words, days or a meaning have found. Entries that were deleted meanwhile may be missing.
    private func times(of names: [EntryName], _ material: AskStore.Material, _ account: String) async throws -> [EntryName: Timestamp] {
        var times: [EntryName: Timestamp] = [:]
        for name in names { times[name] = material.found.entries[name]?.at ?? material.inRange?[name] }
        let byMeaning = Set(names).subtracting(times.keys)
        for (name, entry) in try await store.entries(byMeaning, owner: account) { times[name] = entry.position.at }
        return times
    }

    /// If the words of a question are in many entries, ranking these keeps a thread busy, so it takes turns.
    private func ranked(_ question: Question, _ material: AskStore.Material, _ account: String) async throws -> [AskRules.Ranked] {
        let count = max(material.found.entries.count, material.inRange?.count ?? 0)
        guard count > AskRules.fewEntries else { return AskRules.ranked(question, material) }
        return try await inTurns(account, from: RankWork(question, material)) { $0.performStep() }.ranked
    }

    /// Renders the quoted entries. Rendering long ones keeps a thread busy, so it takes turns; an entry is a step.
    private func items(of entries: [EntryName: EntryKind.Entry], _ account: String) async throws -> [EntryName: TimelineItem] {
        let byteCount: Int64 = entries.values.reduce(0) { $0 + $1.byteCount }
        guard byteCount > LongWork.byteCount else { return entries.mapValues { $0.item } }
        let entries = Array(entries)
        return try await inTurns(account, from: [EntryName: TimelineItem]()) { items in
            let entry = entries[items.count]
            items[entry.key] = entry.value.item
            return items.count < entries.count
        }
    }

    /// A model chooses quotes from the sources, if the user allows one. If it fails, or its quotes are not in the sources, the local rules
    /// choose.
    /// - Returns: quotes that occur in their sources.
    private func quotes(
        _ question: Question, _ text: String, _ found: Found, allowsOutside: Bool, _ zone: TimeZone, _ account: String
    ) async throws -> ([Quote], String) {
        if let model = engines.languageModel(outside: allowsOutside) {
            do {
                if let quotes = try await ModelCiter(model).quotes(text, found.sources, owner: account, zone: zone) {
                    guard !quotes.isEmpty else { return ([], model.name) }
                    let work = QuoteWork(checking: quotes, atMost: AskRules.citedCount(question), in: found.sources)
                    let cited = try await inTurns(account, from: work) { $0.performStep() }.grounded
                    if !cited.isEmpty { return (cited, model.name) }
                }
            } catch is EngineFailure {
                // The ledger has recorded the failure.
            }
        }
        let few = Array(found.sources.prefix(AskRules.sourceCount(question)))
        let chosen = QuoteWork(choosing: QuoteChooser(question, few, weights: found.weights), in: few)
        return (try await inTurns(account, from: chosen) { $0.performStep() }.grounded, engines.local.name)
    }

    private static func nothing(_ contacts: [AskedContact], engine: String) -> Answer {
        Answer(text: AnswerFrame.nothing, confidence: 0, sources: [], contacts: contacts, engine: engine)
    }
}
