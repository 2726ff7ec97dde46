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
    /// database while it holds its permit. The permit counts as a held turn of its request (`HeldTurns`), so the reads are served early.
    let work: FairSemaphore
    /// Limits how many of these questions look for entries at a time, because a question that does may hold the names of many entries.
    let finding = FairSemaphore(Self.findingLimits)
    /// Limits how many questions find names of contacts or read texts at a time, because both keep a processor busy. Accounts and networks
    /// take turns.
    let choosing = FairWork(Self.choosingLimits(processors: ProcessInfo.processInfo.activeProcessorCount))

    /// The limits of `work`. A question may keep its permit for minutes: its turns of `choosing` come one after the other, and a model may
    /// take a minute. So four networks that take all they can get (16 permits) leave 8 to other networks with questions, and 8 more to
    /// networks that have none. After a question has found its entries, it holds less than 1 MB: the texts of 8 entries, of 20,000
    /// characters each. The queue has room for all answers that `Chat` writes at a time (1,024 in total, 128 of an account, 256 of a
    /// network), and for other questions.
    package static let questionLimits = FairSemaphore.Limits(
        permits: 32, permitsPerKey: 2, permitsPerNetwork: 4, waiting: 1_280, waitingPerKey: 144, waitingPerNetwork: 288, reserve: 8,
        small: 1)

    /// The limits of `finding`. A question holds such a permit only until it has its entries' texts. If its words are in tens of thousands
    /// of entries, it holds about 20 MB meanwhile. Four networks that take all they can get leave two permits to others. The queue has room
    /// for all questions that are answered at a time.
    static let findingLimits = FairSemaphore.Limits(
        permits: 10, permitsPerKey: 1, permitsPerNetwork: 2, waiting: 32, waitingPerKey: 32, reserve: 2, small: 1)

    /// How long a turn lasts in which a question reads its sources. With four other networks, a question gets a fifth of the time.
    static let partTime: Duration = .milliseconds(20)

    /// The limits of `choosing`. Half of the processors stay free. Every chat answer waits here for a turn. So the queue has room for all
    /// answers that `Chat` writes at a time (1,024 in total, 128 of an account), and for other questions. A waiting question takes little
    /// memory: it reads its contacts' names and its entries' texts only in its turn.
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
        /// The quotes, one line of `AnswerFrame` for each, without duplicates.
        package var text: String
        /// How certain the answer is, 0…1.
        package var confidence: Double
        package var sources: [Source]
        package var contacts: [AskedContact]
        package var engine: String
    }

    /// - Parameters:
    ///   - range: replaces the days that the question's text names.
    ///   - earlier: the previous question, which supplies what the new one leaves out, such as the days.
    ///   - isLocal: if `true`, asks no model outside the installation, even if the user allows it.
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

    /// Parses the question and the previous one in one turn: for a second turn, the account would have to wait for all other networks
    /// again. With 2,000 contacts, parsing takes milliseconds, and long names take megabytes.
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

    /// Reads an input and runs `body` with it. Both happen in the account's turn, so that requests that wait for their turn hold no input.
    ///
    /// All accounts wait for these turns. So a task that holds one must not wait for its account's share of the database threads: it runs
    /// on Swift's own threads, and the database counts the read as the server's. The read must be short.
    private func inTurn<Input: Sendable, Output: Sendable>(
        _ account: String, reading input: @escaping @Sendable () async throws -> Input,
        _ body: @escaping @Sendable (Input) throws -> Output
    ) async throws -> Output {
        try await inTurn(account) {
            let read = try await Requester.server.run { try await input() }
            return try await choosing.compute { try body(read) }
        }
    }

    /// Computes in steps, and takes a separate turn for each part of them: the sources of a question may be long, and all accounts wait for
    /// these turns. The permits of `work` limit how many questions keep their sources in memory between their turns.
    private func inTurns<State: Sendable>(
        _ account: String, from first: State, step: @escaping @Sendable (inout State) throws -> Bool
    ) async throws -> State {
        let requester = Requester(account: account, network: Requester.current.network)
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await choosing.computeInTurns(from: first, for: requester, partTime: Self.partTime, step: step)
        }
    }

    /// Runs `body` in the account's turn, with the same rules as the other `inTurn`.
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
        // Entries may be long, so a question reads them only once its quotes are known. Entries that were deleted meanwhile are missing.
        let items = try await items(of: store.entries(Set(grounded.map { found.name(of: $0) }), owner: account), account)
        let quoted = grounded.filter { items[found.name(of: $0)] != nil }
        guard !quoted.isEmpty else { return Self.nothing(contacts, engine: engine) }
        let best = quoted.map { found.shares[$0.source] }.max() ?? 0
        // Entries of the same minute with the same words make equal lines. Each of these entries is a source, but the line is shown once.
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

    /// The entries that a question has found.
    private struct Found: Sendable {
        /// The entries, the best first.
        var sources: [AnswerSource] = []
        /// For each source, which share of the question's weight its words have, 0…1.
        var shares: [Double] = []
        /// The weight of each term of the question.
        let weights: [Double]

        func name(of quote: Quote) -> EntryName {
            EntryName(kind: sources[quote.source].kind, id: sources[quote.source].id)
        }
    }

    /// Finds the entries that may answer the question, and reads the texts of the best ones. The caller must hold a permit of `finding`.
    /// - Parameter near: entries whose meaning is similar to the question's.
    private func find(
        _ question: Question, _ near: [(kind: String, id: String, similarity: Double)], kind: String?, for account: String
    ) async throws -> Found {
        let material = try await store.material(
            AskRules.phrases(question), range: question.range, soonestFirst: question.tense == .future, kind: kind, owner: account)
        var ranked = try await ranked(question, material, account)
        if !near.isEmpty {
            // Entries that were found by words already keep their rank.
            for entry in near where kind == nil || entry.kind == kind {
                let name = EntryName(kind: entry.kind, id: entry.id)
                // If a question is only about days, an entry of another day does not answer it.
                if question.isAboutDays, material.inRange?[name] == nil { continue }
                guard !ranked.contains(where: { $0.name == name }) else { continue }
                // The entry's time is not known yet. Use the present, which fits questions about the past and about the future.
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

    /// The texts of entries. Decoding long texts keeps a thread busy, so it takes turns, and decodes one entry in each step.
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

    /// The times of entries that were found by words, days or meaning. Entries that were deleted meanwhile may be missing.
    private func times(of names: [EntryName], _ material: AskStore.Material, _ account: String) async throws -> [EntryName: Timestamp] {
        var times: [EntryName: Timestamp] = [:]
        for name in names { times[name] = material.found.entries[name]?.at ?? material.inRange?[name] }
        let byMeaning = Set(names).subtracting(times.keys)
        for (name, entry) in try await store.entries(byMeaning, owner: account) { times[name] = entry.position.at }
        return times
    }

    /// Ranks the entries. If the question's words are in many entries, ranking keeps a thread busy, so it takes turns.
    private func ranked(_ question: Question, _ material: AskStore.Material, _ account: String) async throws -> [AskRules.Ranked] {
        let count = max(material.found.entries.count, material.inRange?.count ?? 0)
        guard count > AskRules.fewEntries else { return AskRules.ranked(question, material) }
        return try await inTurns(account, from: RankWork(question, material)) { $0.performStep() }.ranked
    }

    /// Renders the quoted entries. Rendering long entries keeps a thread busy, so it takes turns, and renders one entry in each step.
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

    /// Chooses quotes from the sources. A model chooses them if the user allows one. If the model fails, or its quotes are not in the
    /// sources, local rules choose.
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
                // The ledger has already recorded the failure, so continue with the local rules.
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
