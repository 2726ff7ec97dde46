import Core
import Database
import Logging
import ServiceLifecycle
import Synchronization

/// Collects the captures of all sockets of this node and stores them together: while one write becomes durable, the captures for the next
/// one gather. The inbox acknowledges each capture after the commit of its write.
package final class CaptureInbox: Service {
    /// Operators cannot change these; tests do.
    package struct Settings: Sendable {
        /// The most captures in one write. While other requesters wait to write, the limit is `CaptureStore.shortWriteCount`.
        package var batchCount = 256
        /// The most writes at a time that hold captures of several accounts: one runs while the other becomes durable.
        package var writesAtOnce = 2
        /// The most writes at a time that hold captures of one account each, in addition to `writesAtOnce`.
        package var writesApartAtOnce = 4
        /// `false` acknowledges before the commit. Only for checking that a test detects this.
        package var waitsForCommit = true

        package init() {}
    }

    struct Item: Sendable {
        let capture: NewCapture
        /// A share of the memory for captures that wait. The inbox releases it when the outcome is known, not when the client has read it.
        let permit: FairSemaphore.Permit
        let reply: @Sendable (CaptureOutcome) -> Void
    }

    private struct State {
        /// The captures that wait, queued by account, so that an account that sends many captures does not delay other accounts. `small`
        /// and `large` bound their number.
        var waiting = FairQueue<String, Item>(limit: .max, limitPerKey: .max)
        var writes = 0
        /// Whether other requesters waited for the last write. Then a batch holds only the captures of one short write. A longer batch
        /// would take several short writes, and its last captures would be written before captures that other accounts send in between.
        var delaysOthers = false
        /// The number of captures that have arrived.
        var arrived = 0
        /// The captures that wait, or are in a shared write. Those in writes of one account do not count, because these writes may wait for
        /// other writes of that account for a long time.
        var open = 0
        /// Accounts whose captures get writes of their own, and until when. Their captures would make a shared write fail: the
        /// account's quota is used up, or another write has locked the row that counts the account's stored bytes (its usage).
        var alone: [String: ContinuousClock.Instant] = [:]
        /// Whether the database locks rows (`WriteTransaction.locksRows`): true on PostgreSQL. `true` before the
        /// first write.
        var locksRows = true
        /// For each account, how many writes of its own wait or run; if writes lock rows, shared writes with its captures count too. Its
        /// later captures wait for these writes: a second write would find the account's usage locked by the first one.
        var writing: [String: Int] = [:]

        mutating func beginWriting(_ owners: some Sequence<String>) {
            for owner in Set(owners) { writing[owner, default: 0] += 1 }
        }

        mutating func endWriting(_ owners: some Sequence<String>) {
            for owner in Set(owners) {
                let others = writing[owner, default: 1] - 1
                writing[owner] = others > 0 ? others : nil
            }
        }

        mutating func keepAlone(_ owners: some Sequence<String>, for duration: Duration) {
            if alone.count >= 10_000 { alone = [:] }
            let end = ContinuousClock.now + duration
            for owner in owners { alone[owner] = max(alone[owner] ?? end, end) }
        }
    }

    private let store: CaptureStore
    private let settings: Settings
    private let logger: Logger
    private let state = Mutex(State())
    private let alarms: AsyncStream<Void>
    private let alarm: AsyncStream<Void>.Continuation
    /// `small` admits captures of at most 16 KB to this node's memory, `large` larger ones. A socket that gets no permit is not read.
    let small = FairSemaphore(
        .init(
            permits: 2_048, permitsPerKey: 512, permitsPerNetwork: 1_024, waiting: .max, waitingPerKey: .max, reserve: 512, small: 64))
    let large = FairSemaphore(
        .init(permits: 32, permitsPerKey: 4, permitsPerNetwork: 16, waiting: .max, waitingPerKey: .max, reserve: 8, small: 2))
    /// Limits the captures that sockets read ahead of their replies.
    let ahead = SharedBudget(ReplyWindow.ahead)
    private static let smallByteCount = 16_384
    /// Limits the writes that hold captures of one account each, which may wait for other writes of that account. Accounts take turns.
    private let apart: FairSemaphore

    init(store: CaptureStore, settings: Settings, logger: Logger) {
        self.store = store
        self.settings = settings
        self.logger = logger
        apart = FairSemaphore(.init(permits: settings.writesApartAtOnce, permitsPerKey: 1, waiting: .max, waitingPerKey: .max))
        (alarms, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Waits until there is room for a message of this size.
    func permit(_ byteCount: Int, for requester: Requester) async throws -> FairSemaphore.Permit {
        try await (byteCount <= Self.smallByteCount ? small : large).acquire(for: requester)
    }

    /// Makes the reply window of a socket that opens.
    func window(for requester: Requester) throws -> ReplyWindow {
        let network = requester.network.map { $0.site ?? $0 }
        return ReplyWindow(try ahead.share(0, of: Requester(account: requester.account, network: network)))
    }

    /// Calls the item's `reply` once, when the capture is durable or refused.
    func submit(_ item: Item) {
        let isTaken = state.withLock { state in
            guard (try? state.waiting.enqueue(item, for: item.capture.owner)) != nil else { return false }
            state.open += 1
            state.arrived += 1
            return true
        }
        guard isTaken else { return fail([item], DatabaseError.busy) }
        if !settings.waitsForCommit { item.reply(nil) }
        alarm.yield()
    }

    /// Waits until as many captures are answered as had arrived when it was called, or no shared write runs any more, but no longer than
    /// 100 ms. Jobs call it, so that they do not slow the acknowledgements down. They do not wait for captures that arrive later: those of
    /// one client, sent all the time, would delay the jobs of everybody.
    func waitForEarlierCaptures() async {
        let arrived = state.withLock(\.arrived)
        for _ in 0..<20 {
            let isBusy = state.withLock { $0.writes > 0 && $0.arrived - $0.open < arrived }
            guard isBusy, (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
        }
    }

    /// Runs until the server stops. All sockets are closed by then, so no client waits for a reply.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for await _ in alarms {
                    while let batch = next() {
                        let (isAlone, isCounted, owners) = (batch.isAlone, batch.isCounted, batch.owners)
                        let items = Handover(batch.items)
                        group.addTask { [self] in
                            if isAlone { return await writeApart(items.take()) }
                            let apart = await write(items.take())
                            state.withLock { state in
                                state.writes -= 1
                                if isCounted { state.endWriting(owners) }
                                state.open -= owners.count
                            }
                            alarm.yield()
                            await writeApart(apart)
                        }
                    }
                }
            }
        }
    }

    private struct Batch: Sendable {
        var items: [Item] = []
        /// Whether all items are of one account, whose captures get writes of their own.
        let isAlone: Bool
        /// Whether `State.writing` counts this write for its owners.
        var isCounted = false

        var owners: [String] { items.map(\.capture.owner) }
    }

    /// Hands captures to a task, which takes them once. A task keeps what its closure refers to until the task ends. Without this class, a
    /// task that waits for one account's usage would keep the captures of other accounts in memory after they are answered and their
    /// permits released.
    private final class Handover: Sendable {
        private let items: Mutex<[Item]>

        init(_ items: [Item]) { self.items = Mutex(items) }

        func take() -> [Item] {
            items.withLock { items in
                defer { items = [] }
                return items
            }
        }
    }

    /// The captures of the next write, or `nil` when there are none or enough writes run.
    private func next() -> Batch? {
        state.withLock { state in
            let mayShare = state.writes < settings.writesAtOnce
            guard mayShare || !state.alone.isEmpty else { return nil }
            let (now, alone, writing) = (ContinuousClock.now, state.alone, state.writing)
            func isAlone(_ owner: String) -> Bool { alone[owner].map { $0 > now } ?? false }
            let next = state.waiting.dequeue(where: { owner in writing[owner] == nil && (mayShare || isAlone(owner)) })
            guard let first = next else { return nil }
            var batch = Batch(items: [first.element], isAlone: isAlone(first.key))
            var keys: Set = [first.element.capture.key]
            let count = state.delaysOthers ? min(settings.batchCount, CaptureStore.shortWriteCount) : settings.batchCount
            while batch.items.count < count {
                // A capture that was sent twice waits for the next write. So does everything that came after it from this account.
                let next = state.waiting.dequeue { owner, item in
                    (batch.isAlone ? owner == first.key : !isAlone(owner) && writing[owner] == nil) && !keys.contains(item.capture.key)
                }
                guard let item = next?.element else { break }
                keys.insert(item.capture.key)
                batch.items.append(item)
            }
            batch.isCounted = batch.isAlone || state.locksRows
            if batch.isCounted { state.beginWriting(batch.owners) }
            if batch.isAlone { state.open -= batch.items.count } else { state.writes += 1 }
            return batch
        }
    }

    /// - Returns: the captures that must be written apart from those of other accounts, by `writeApart`. Until they are written, later
    ///   captures of their accounts wait.
    private func write(_ batch: [Item]) async -> [Item] {
        var rest = batch[...]
        var apart: [Item] = []
        // Between two attempts, another write may lock another account's usage. After some attempts, which are short, each account gets a
        // write of its own. These writes can wait for long, because the writes of accounts whose usage is locked come before them.
        for _ in 0..<8 {
            do {
                try await writeInParts(&rest)
                return apart
            } catch let error as CaptureStore.OwnersApart {
                let held = rest.filter { error.owners.contains($0.capture.owner) }
                state.withLock { state in
                    state.keepAlone(error.owners, for: .seconds(1))
                    state.beginWriting(held.map(\.capture.owner))
                }
                apart += held
                rest = rest.filter { !error.owners.contains($0.capture.owner) }[...]
            } catch {
                if Self.isOutage(error) {
                    fail(Array(rest), error)
                    return apart
                }
                // One account may be the cause: it must not affect the others.
                break
            }
        }
        let others = Array(rest)
        state.withLock { $0.beginWriting(others.map(\.capture.owner)) }
        return apart + others
    }

    /// Writes the captures of each account alone. These writes do not count among the shared ones, because each may wait for other writes
    /// of its account.
    private func writeApart(_ items: [Item]) async {
        await withDiscardingTaskGroup { group in
            for (owner, items) in Dictionary(grouping: items, by: \.capture.owner) {
                group.addTask { [self] in
                    do {
                        try await apart.withPermit(for: Requester(account: owner, network: nil)) { await write(alone: items) }
                    } catch {
                        fail(items, error)
                    }
                    state.withLock { $0.endWriting([owner]) }
                    alarm.yield()
                }
            }
        }
    }

    private func write(alone group: [Item]) async {
        var rest = group[...]
        do {
            try await writeInParts(&rest, exactly: true)
        } catch {
            // After `.busy`, the captures are not tried one by one: another write of the account holds a lock, and each capture would wait
            // for it again.
            guard rest.count > 1, !Self.isOutage(error), (error as? DatabaseError) != .busy else { return fail(Array(rest), error) }
            for item in rest { await write(alone: [item]) }
        }
    }

    /// Stores the items in one write, or in several short ones while other requesters write too. Acknowledges the captures of each write
    /// and removes them from `rest`, so that after an error `rest` holds the captures that are not stored.
    private func writeInParts(_ rest: inout ArraySlice<Item>, exactly: Bool = false) async throws {
        while !rest.isEmpty {
            let (outcomes, delaysOthers, locksRows) = try await store.take(rest.map(\.capture), exactly: exactly)
            state.withLock { ($0.delaysOthers, $0.locksRows) = (delaysOthers, locksRows) }
            for (item, outcome) in zip(rest, outcomes) { answer(item, outcome) }
            rest.removeFirst(outcomes.count)
        }
    }

    private func fail(_ items: [Item], _ error: any Error) {
        let problem = error as? Problem
        if problem == nil, !Task.isCancelled {
            logger.error(
                "captures were not stored; their clients are told to send them again",
                metadata: ["error": "\(error)", "count": .stringConvertible(items.count)])
        }
        if problem?.kind == .tooLarge {
            state.withLock { $0.keepAlone(items.map(\.capture.owner), for: .seconds(10)) }
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
        item.permit.release()
        if settings.waitsForCommit { item.reply(outcome) }
    }

    private static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case DatabaseError.unavailable, DatabaseError.closed, DatabaseError.unclear, DatabaseError.full, is CancellationError: true
        default: false
        }
    }
}
