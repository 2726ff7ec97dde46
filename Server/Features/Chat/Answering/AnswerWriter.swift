import Core
import Database
import Foundation
import Intelligence
import Logging
import Search
import ServiceLifecycle
import Synchronization
import Web

/// Writes the answers to messages that this node received, and stores their text piece by piece.
package final class AnswerWriter: Service, CustomStringConvertible {
    struct Settings: Sendable {
        /// How often the new text of an answer is stored.
        var batch: Duration = .milliseconds(250)
        /// How often the lease of a silent answer is renewed.
        var heartbeat: Duration = .seconds(5)
        /// The time limit for one answer, with everything before its first word.
        var timeout: Duration = .seconds(300)
        /// How often the server looks for waiting tasks whose time is up (`AnswerSignals.tick`).
        var tick: Duration = .milliseconds(500)
        /// The most answers that this node writes at a time. A model gets the message, and the response shows it, so an answer counts one
        /// more for each `countedByteCount` bytes of its message. Only networks with few answers may use the reserve, so a few other
        /// networks cannot lock them out.
        var atOnce = SharedBudget.Limits(total: 1_024, perAccount: 128, perNetwork: 256, reserve: 256, small: 32)
        var countedByteCount = 65_536
    }

    /// An answer to write.
    struct Work: Sendable {
        /// The message and the answer's row. It holds only the beginning of the message's text, because many answers may wait for their
        /// turns.
        let exchange: ChatStore.Exchange
        let choice: ChatProviders.Choice
        /// Its share of `Settings.atOnce`.
        let share: SharedBudget.Share
        /// Who sent the message. Accounts and networks take turns with shared resources.
        let requester: Requester

        init(exchange: ChatStore.Exchange, choice: ChatProviders.Choice, share: SharedBudget.Share, requester: Requester) {
            var waiting = exchange
            waiting.question.message.text = ChatRules.questionText(of: exchange.question.message.text)
            self.exchange = waiting
            self.choice = choice
            self.share = share
            self.requester = requester
        }

        var answer: StoredMessage { exchange.answer }
    }

    package let description = "chat answers"
    let signals = AnswerSignals()
    /// Limits how many long answers are split into words for the search at a time. Its queue has room for all answers.
    let splitting = FairWork(FileQuotes.limits(processors: ProcessInfo.processInfo.activeProcessorCount))
    private let store: ChatStore
    private let composer: AnswerComposer
    private let settings: Settings
    private let budget: SharedBudget
    private let logger: Logger
    private let live = Mutex<[String: LiveAnswer]>([:])
    private let queue: AsyncStream<(Work, LiveAnswer)>
    private let enqueue: AsyncStream<(Work, LiveAnswer)>.Continuation
    private let listening: Wakes.Listening

    init(store: ChatStore, composer: AnswerComposer, settings: Settings, logger: Logger) {
        self.store = store
        self.composer = composer
        self.settings = settings
        self.logger = logger
        budget = SharedBudget(settings.atOnce)
        // The stream needs no limit of its own: `budget` limits the answers.
        (queue, enqueue) = AsyncStream.makeStream(of: (Work, LiveAnswer).self)
        let signals = signals
        let forwarder = WakeForwarder()
        listening = store.database.wakes.listen(.chatAnswers) { keys in
            forwarder.note(keys)
            signals.post(keys)
        }
        forwarder.writer = self
    }

    /// Passes wakes from other nodes on to the answers that this node writes.
    private final class WakeForwarder: Sendable {
        private let state = Mutex<WeakWriter>(WeakWriter())
        private struct WeakWriter { weak var writer: AnswerWriter? }

        var writer: AnswerWriter? {
            get { state.withLock { $0.writer } }
            set { state.withLock { $0.writer = newValue } }
        }

        func note(_ keys: Set<String>?) {
            guard let writer else { return }
            let answers = writer.live.withLock { live in keys.map { $0.compactMap { live[$0] } } ?? Array(live.values) }
            for answer in answers { answer.look() }
        }
    }

    /// Takes a share of `Settings.atOnce` for an answer that is about to begin.
    /// - Parameter textByteCount: the length of the message's text.
    /// - Throws: `.tooManyRequests` when too many answers are being written for the account or its network; `.unavailable` when too many
    ///   are being written in total.
    func enter(_ requester: Requester, textByteCount: Int) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try budget.share(1 + textByteCount / settings.countedByteCount, of: requester)
        } catch {
            switch error {
            case .total: throw Problem(.unavailable, "Too many answers are being written. Try again shortly.", retryAfter: .seconds(5))
            case .account:
                throw Problem(.tooManyRequests, "Too many answers are being written for you. Wait for one.", retryAfter: .seconds(5))
            case .network:
                throw Problem(
                    .tooManyRequests, "Too many answers are being written for your network. Try again shortly.", retryAfter: .seconds(5))
            }
        }
    }

    /// Begins to write an answer.
    func start(_ work: Work) {
        let answer = LiveAnswer(work.answer)
        live.withLock { $0[work.answer.id] = answer }
        if case .terminated = enqueue.yield((work, answer)) {
            // The server is stopping. Another node, or this one after its next start, ends the answer.
            live.withLock { $0[work.answer.id] = nil }
        }
    }

    /// The answer, if this node writes it.
    func writing(_ answer: StoredMessage) -> LiveAnswer? {
        live.withLock { live in live[answer.id].flatMap { $0.message.attempt == answer.attempt ? $0 : nil } }
    }

    /// How many answers this node is writing now.
    package var count: Int { live.withLock { $0.count } }

    /// Runs until the server stops. Then it stores the answers that are still being written as unfinished.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { [self] in
                    while (try? await Task.sleep(for: settings.tick)) != nil, !Task.isCancelled { signals.tick(.now) }
                }
                for await (work, answer) in queue { group.addTask { [self] in await write(work, answer) } }
                enqueue.finish()
                group.cancelAll()
            }
        }
        signals.close()
    }

    // MARK: One answer

    /// Why the writing of an answer ends.
    private enum Stop: Sendable {
        case complete, cutShort, stopped, timedOut, lost
        case failed(ChatFailure)
        case broken
    }

    private func write(_ work: Work, _ answer: LiveAnswer) async {
        defer {
            live.withLock { live in if live[answer.message.id] === answer { live[answer.message.id] = nil } }
            work.share.release()
            signals.post([answer.message.id])
        }
        let stop = await work.requester.run { await grow(work, answer) }
        if case .lost = stop { return }
        let ending = Self.ending(stop)
        // The write runs as a request of the account: otherwise the ends of all answers would wait in the queue of the server's own writes.
        // It runs in a task of its own, so that a cancelled answer is stored too.
        await work.requester.run { await Task { [self] in await end(answer, ending) }.value }
    }

    private func grow(_ work: Work, _ answer: LiveAnswer) async -> Stop {
        await withTaskGroup(of: Stop?.self) { group in
            group.addTask { [self] in await compose(work, answer) }
            group.addTask { [self] in await keep(answer) }
            group.addTask { [self] in (try? await Task.sleep(for: settings.timeout)) == nil ? nil : .timedOut }
            var stop: Stop?
            while stop == nil, let next = await group.next() { stop = next }
            group.cancelAll()
            // Wait for the other tasks: none of them may change the answer after its end.
            await group.waitForAll()
            return stop ?? .stopped
        }
    }

    /// - Returns: why the writing ends; `nil` when the task was cancelled.
    private func compose(_ work: Work, _ answer: LiveAnswer) async -> Stop? {
        do {
            let ending = try await composer.answer(work.exchange, work.choice) { [signals] piece in
                try answer.append(piece)
                signals.post([answer.message.id])
            }
            return ending == .complete ? .complete : .cutShort
        } catch is LiveAnswer.Full {
            return .cutShort
        } catch let failure as ChatFailure {
            return .failed(failure)
        } catch let problem as Problem where problem.retryAfter != nil {
            return .failed(ChatFailure(problem.message, isRefusal: false, after: problem.retryAfter, isAway: true))
        } catch {
            guard !Task.isCancelled, !(error is CancellationError) else { return nil }
            logger.error("a chat answer could not be written; it is stored as failed", metadata: ["error": "\(type(of: error))"])
            return .broken
        }
    }

    /// Stores the new pieces several times a second, until the answer ends.
    /// - Returns: why the answer shall end; `nil` when the task was cancelled.
    private func keep(_ answer: LiveAnswer) async -> Stop? {
        var renewed = ContinuousClock.now
        while (try? await Task.sleep(for: settings.batch)) != nil, !Task.isCancelled {
            let (texts, first) = answer.unstored
            guard !texts.isEmpty || answer.takeLook() || .now - renewed >= settings.heartbeat else { continue }
            do {
                switch try await store.keep(texts, from: first, of: answer.message) {
                case .going:
                    answer.noteStored(texts.count)
                    renewed = .now
                case .stopping:
                    answer.noteStored(texts.count)
                    return .stopped
                case .lost: return .lost
                }
            } catch {
                guard !Task.isCancelled else { return nil }
                // The database may be unreachable for a moment. Once the lease has expired, other nodes may regard this node as dead.
                guard .now - renewed < ChatStore.lease else { return .broken }
            }
        }
        return nil
    }

    private static func ending(_ stop: Stop) -> ChatStore.Ending {
        switch stop {
        case .complete: .init(state: .done, isUnfinished: false)
        case .cutShort: .init(state: .done, isUnfinished: true)
        case .stopped, .lost: .init(state: .stopped, isUnfinished: true)
        case .timedOut: .init(state: .failed, isUnfinished: true, error: "The model took too long.", isAway: true)
        case .failed(let failure):
            .init(
                state: .failed, isUnfinished: true,
                error: failure.isRefusal ? "The model refused to answer: \(failure)." : "The model did not answer: \(failure).",
                isAway: failure.isAway, retryAfter: failure.after)
        case .broken: .init(state: .failed, isUnfinished: true, error: "The answer could not be written.", isAway: true)
        }
    }

    private func end(_ answer: LiveAnswer, _ ending: ChatStore.Ending) async {
        let (rest, first) = answer.unstored
        // If the database stays unreachable, the lease expires, and another node stores the answer as unfinished.
        for attempt in 0..<5 {
            do {
                let words = try await words(of: answer)
                _ = try await store.end(answer.message, ending, text: answer.whole, words, rest: rest, from: first)
                return
            } catch {
                if attempt == 4 {
                    logger.error(
                        "a chat answer was not stored; it is stored as unfinished when its lease expires", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .milliseconds(200 << attempt))
            }
        }
    }

    /// Splits the answer into words. A long answer waits for its account's turn, and holds no copy of the text while it waits.
    private func words(of answer: LiveAnswer) async throws -> SearchWords {
        guard answer.byteCount > LongWork.textByteCount else { return ChatStore.words(answer.whole) }
        let turn = try await splitting.turn(Requester(account: answer.message.owner, network: Requester.current.network))
        defer { turn.release() }
        return try await splitting.compute { ChatStore.words(answer.whole) }
    }
}
