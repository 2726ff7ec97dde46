import Core
import Database
import Logging
import ServiceLifecycle
import Synchronization

/// Collects the captures of all sockets of this node and stores them together: while one write is being made durable, the next one fills.
/// Each capture is answered after the commit of its write.
package final class CaptureInbox: Service {
    /// Not configurable; tests change them.
    package struct Settings: Sendable {
        /// Captures in one write, at most. Fewer when other requesters write too (`CaptureStore.shortWriteCount`).
        package var batchCount = 256
        /// Writes at a time: one fills and runs while the other becomes durable.
        package var writesAtOnce = 2
        /// `false` acknowledges before the commit. Only for the test that must then fail.
        package var waitsForCommit = true

        package init() {}
    }

    struct Item: Sendable {
        let capture: NewCapture
        /// Returns a share of the memory for captures that wait.
        let permit: FairSemaphore.Permit
        let reply: @Sendable (CaptureOutcome) -> Void
    }

    private struct State {
        /// By account: one that sends many captures does not delay those of others. `small` and `large` bound their number.
        var waiting = FairQueue<String, Item>(limit: .max, limitPerKey: .max)
        var writes = 0
        /// Whether other requesters waited for the last write. A batch then holds no more than one short write: what it holds more would be
        /// written before the captures of accounts that send theirs later.
        var delaysOthers = false
        /// Captures that are not answered yet, those in a write included.
        var open = 0
        /// When the last one was answered.
        var lastAnswer = ContinuousClock.now - .seconds(60)
        /// Accounts whose quota is used up, and until when their captures get writes of their own: they would make each shared write fail.
        var exhausted: [String: ContinuousClock.Instant] = [:]
    }

    private let store: CaptureStore
    private let settings: Settings
    private let logger: Logger
    private let state = Mutex(State())
    private let alarms: AsyncStream<Void>
    private let alarm: AsyncStream<Void>.Continuation
    /// Captures of at most 16 KB, and larger ones, that wait in this node's memory. A socket that gets no permit is not read.
    private let small = FairSemaphore(
        .init(permits: 2_048, permitsPerKey: 512, permitsPerNetwork: 1_024, waiting: .max, waitingPerKey: .max))
    private let large = FairSemaphore(
        .init(permits: 64, permitsPerKey: 8, permitsPerNetwork: 32, waiting: .max, waitingPerKey: .max))
    private static let smallByteCount = 16_384

    init(store: CaptureStore, settings: Settings, logger: Logger) {
        self.store = store
        self.settings = settings
        self.logger = logger
        (alarms, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Waits until there is room for a message of this size.
    func permit(_ byteCount: Int, for requester: Requester) async throws -> FairSemaphore.Permit {
        try await (byteCount <= Self.smallByteCount ? small : large).acquire(for: requester)
    }

    /// - Parameter reply: called once, when the capture is durable or refused. The last reference to the item releases its permit.
    func submit(_ item: Item) {
        let isTaken = state.withLock { state in
            guard (try? state.waiting.enqueue(item, for: item.capture.owner)) != nil else { return false }
            state.open += 1
            return true
        }
        guard isTaken else { return fail([item], DatabaseError.busy) }
        if !settings.waitsForCommit { item.reply(nil) }
        alarm.yield()
    }

    /// Waits until no capture waits for its acknowledgement, at most a second: jobs must not slow the acknowledgements down, nor wait for
    /// ever.
    func calm() async {
        for _ in 0..<50 {
            let isBusy = state.withLock { $0.open > 0 || ContinuousClock.now - $0.lastAnswer < .milliseconds(20) }
            guard isBusy, (try? await Task.sleep(for: .milliseconds(20))) != nil else { return }
        }
    }

    /// Runs until the server stops. Sockets are closed by then, so that nobody waits for an answer.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for await _ in alarms {
                    while let batch = next() {
                        group.addTask { [self] in
                            if batch.isAlone { await write(alone: batch.items) } else { await write(batch.items) }
                            state.withLock { state in
                                state.writes -= 1
                                state.open -= batch.items.count
                                state.lastAnswer = .now
                            }
                            alarm.yield()
                        }
                    }
                }
            }
        }
    }

    private struct Batch: Sendable {
        var items: [Item] = []
        /// Whether all are of one account whose quota is used up.
        let isAlone: Bool
    }

    /// The captures of the next write, or `nil` when there are none or enough writes run.
    private func next() -> Batch? {
        state.withLock { state in
            guard state.writes < settings.writesAtOnce, let first = state.waiting.dequeue() else { return nil }
            let (now, exhausted) = (ContinuousClock.now, state.exhausted)
            func isExhausted(_ owner: String) -> Bool { exhausted[owner].map { $0 > now } ?? false }
            var batch = Batch(items: [first.element], isAlone: isExhausted(first.key))
            var keys: Set = [first.element.capture.key]
            let count = state.delaysOthers ? min(settings.batchCount, CaptureStore.shortWriteCount) : settings.batchCount
            while batch.items.count < count {
                // A capture that was sent twice waits for the next write, and with it all that came after it from this account.
                let next = state.waiting.dequeue { owner, item in
                    (batch.isAlone ? owner == first.key : !isExhausted(owner)) && !keys.contains(item.capture.key)
                }
                guard let item = next?.element else { break }
                keys.insert(item.capture.key)
                batch.items.append(item)
            }
            state.writes += 1
            return batch
        }
    }

    private func write(_ batch: [Item]) async {
        var rest = batch[...]
        do {
            try await writeInParts(&rest)
        } catch {
            guard !Self.isOutage(error) else { return fail(Array(rest), error) }
            // One account may be the cause, for example with a full quota: it must not affect the others.
            for group in Dictionary(grouping: rest, by: \.capture.owner).values { await write(alone: group) }
        }
    }

    private func write(alone group: [Item]) async {
        var rest = group[...]
        do {
            try await writeInParts(&rest, exactly: true)
        } catch {
            guard rest.count > 1, !Self.isOutage(error) else { return fail(Array(rest), error) }
            for item in rest { await write(alone: [item]) }
        }
    }

    /// Stores the items in one write, or in several short ones while other requesters write too. Answers those of each write and removes
    /// them from `rest`, so that after an error `rest` holds those that are not stored.
    private func writeInParts(_ rest: inout ArraySlice<Item>, exactly: Bool = false) async throws {
        while !rest.isEmpty {
            let (outcomes, delaysOthers) = try await store.take(rest.map(\.capture), exactly: exactly)
            state.withLock { $0.delaysOthers = delaysOthers }
            for (item, outcome) in zip(rest, outcomes) { answer(item, outcome) }
            rest.removeFirst(outcomes.count)
        }
    }

    private func fail(_ items: [Item], _ error: any Error) {
        let problem = error as? Problem
        if problem == nil, !Task.isCancelled {
            logger.error("captures were not stored", metadata: ["error": "\(error)", "count": .stringConvertible(items.count)])
        }
        if problem?.kind == .tooLarge {
            state.withLock { state in
                if state.exhausted.count >= 10_000 { state.exhausted = [:] }
                for item in items { state.exhausted[item.capture.owner] = .now + .seconds(10) }
            }
        }
        for item in items {
            let refusal =
                problem?.kind == .tooLarge
                ? CaptureRefusal(code: .quota, detail: problem?.message ?? "", capture: item.capture.id)
                : CaptureRefusal(
                    code: .failedToSave, detail: problem?.message ?? "The capture was not stored. Send it again.", capture: item.capture.id)
            answer(item, refusal)
        }
    }

    private func answer(_ item: Item, _ outcome: CaptureOutcome) {
        if settings.waitsForCommit { item.reply(outcome) }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case DatabaseError.unavailable, DatabaseError.closed, DatabaseError.unclear, DatabaseError.full, is CancellationError: true
        default: false
        }
    }
}
