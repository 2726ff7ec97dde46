internal import DequeModule

/// Decides which body, a closure of `FairWork`, runs next on the threads that all kinds of such work share. `ComputingThreads` guards the
/// value with its lock.
///
/// The kind that has used the threads for the shortest time goes first; the time of bodies that still run counts. So a kind with short
/// bodies waits until a thread is free, and not for a long body of each other kind. A kind that was idle goes first for a limited time,
/// see `UsageOrder`.
///
/// Within a kind, bodies run in the order in which they came, with one exception: steps of work that has begun go before work that has not
/// begun, because work that has begun holds a turn and memory. After `mostBegunInARow` such steps, new work of the kind has its turn.
///
/// All times are in microseconds of one clock.
package struct ComputingOrder<Kind: Hashable & Sendable, Body: Sendable>: Sendable {
    package struct Entry: Sendable {
        /// The number of the entry; a later one has a higher number.
        fileprivate let number: UInt64
        package let kind: Kind
        package let body: Body
    }

    private struct Run: Sendable {
        let kind: Kind
        let begin: UInt64
    }

    /// The waiting bodies of a kind.
    private struct Waiting: Sendable {
        var begun: Deque<Entry> = []
        var new: Deque<Entry> = []
        /// How many steps of work that has begun were taken since the last new work.
        var begunInARow = 0

        var count: Int { begun.count + new.count }
        /// The number of the entry that waits for the longest time.
        var oldest: UInt64 { min(begun.first?.number ?? .max, new.first?.number ?? .max) }

        mutating func next() -> Entry? {
            if begunInARow < ComputingOrder.mostBegunInARow || new.isEmpty, let entry = begun.popFirst() {
                begunInARow += 1
                return entry
            }
            begunInARow = 0
            return new.popFirst()
        }
    }

    /// The most steps of begun work that run in a row while new work of the kind waits.
    private static var mostBegunInARow: Int { 4 }

    /// A kind that was idle is ahead by 50 ms, because a search can compute for 50 ms before it waits for a thread again.
    private var usage = UsageOrder<Kind>(headStart: 50_000)
    private var waiting: [Kind: Waiting] = [:]
    /// The running bodies by the number of their entry; at most one for each thread.
    private var running: [UInt64: Run] = [:]
    private var lastNumber: UInt64 = 0

    package init() {}

    /// The number of bodies that wait.
    package var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    /// - Parameter hasBegun: whether the body continues work that an earlier body has begun.
    package mutating func enter(_ body: Body, of kind: Kind, hasBegun: Bool = false) {
        lastNumber += 1
        let entry = Entry(number: lastNumber, kind: kind, body: body)
        if hasBegun {
            waiting[kind, default: Waiting()].begun.append(entry)
        } else {
            waiting[kind, default: Waiting()].new.append(entry)
        }
    }

    /// Removes and returns the next body. Call `ended` when it has run.
    /// - Returns: `nil` when nothing waits.
    package mutating func next(at now: UInt64) -> Entry? {
        let ranks = waiting.map { kind, ofKind in (kind: kind, rank: rank(of: kind, at: now), oldest: ofKind.oldest) }
        guard let kind = ranks.min(by: { ($0.rank, $0.oldest) < ($1.rank, $1.oldest) })?.kind, var ofKind = waiting[kind],
            let entry = ofKind.next()
        else { return nil }
        waiting[kind] = ofKind.count > 0 ? ofKind : nil
        running[entry.number] = Run(kind: kind, begin: now)
        return entry
    }

    package mutating func ended(_ entry: Entry, at now: UInt64) {
        guard let run = running.removeValue(forKey: entry.number) else { return }
        usage.used(now.elapsed(since: run.begin), by: run.kind)
        // Nothing waits, so the uses so far have delayed nobody: forget them.
        if waiting.isEmpty, running.isEmpty { usage.reset() }
    }

    /// The kind with the lowest rank is next.
    private func rank(of kind: Kind, at now: UInt64) -> UInt64 {
        running.values.reduce(usage.rank(of: kind)) { rank, run in
            run.kind == kind ? rank + now.elapsed(since: run.begin) : rank
        }
    }
}
