internal import Core

/// What a caller does with a connection.
enum ConnectionUse: Sendable {
    case read
    case write
}

struct ConnectionLimits: Sendable {
    /// Maximum number of waiting calls; the next is refused.
    var waiting: Int
    /// Maximum number of connections on which one account writes, or reads, at a time, 1 or more.
    var writesPerAccount: Int
    var readsPerAccount: Int
    /// The maximum number for all accounts of one network together.
    var writesPerNetwork: Int
    var readsPerNetwork: Int
    /// Number of free connections that a requester who holds one already leaves to others, 0 or more.
    var reserved: Int
}

/// Decides who gets a connection, and who waits. `PostgresPool` guards this value with its lock.
///
/// Writes of one account usually wait for the same rows: the account's place in the event log, its usage, the row that they change. Each
/// such write holds a connection while it waits for another write, for up to the lock timeout. A long read holds a connection, too. So:
///
/// - Each account and each network has a share of the connections for its writes and another share for its reads. Calls beyond a share wait
///   without a connection.
/// - A requester that holds a connection leaves the last free ones to requesters that hold none.
/// - Networks and accounts that have used connections for a shorter time go first.
/// - A few calls may take connections as the server's own calls do: calls of requesters that hold a turn for which others wait.
struct ConnectionQueue<Element> {
    /// A waiting call.
    fileprivate struct WaitingCall {
        let use: ConnectionUse
        let requester: Requester
        let element: Element
    }

    /// Number of calls that began with `beginForHolder`.
    private var holderCount = 0
    /// Number of connections that nobody holds.
    private(set) var free: Int
    private let connections: Int
    private let limits: ConnectionLimits
    private var waiting: FairQueue<Line, WaitingCall>
    private var held: [Requester.Share: Held] = [:]
    /// The head start is as long as a few short calls.
    private var usage = RequesterUsage(headStart: 5_000)

    /// The most time that counts as use for one call. A requester's next call then starts within seconds, even when very many requesters
    /// call.
    static var mostTime: Duration { .seconds(1) }
    /// The most time that counts as use for one of the server's own calls. They serve all accounts, so they may take more than the share of
    /// one.
    static var mostTimeOfServer: Duration { .milliseconds(5) }

    init(connections: Int, _ limits: ConnectionLimits) {
        self.connections = connections
        self.limits = limits
        free = connections
        waiting = FairQueue(limit: limits.waiting, limitPerKey: limits.waiting)
    }

    var count: Int { waiting.count }

    /// Begins a call of a requester that holds a turn for which others wait (`HeldTurns`). Otherwise the call might wait until other calls
    /// of its account have ended, and everybody who needs the turn would wait, too.
    /// - Returns: whether the call may take a connection as the server's own calls do. In that case, call `endForHolder` when it has ended.
    ///   Few calls may do so at a time, so that they leave some of the reserved connections to requesters that hold none.
    mutating func beginForHolder() -> Bool {
        guard holderCount < max(1, limits.reserved / 2) else { return false }
        holderCount += 1
        return true
    }

    mutating func endForHolder() { holderCount -= 1 }

    /// - Returns: whether the caller has a connection now; otherwise it has to wait.
    mutating func take(_ use: ConnectionUse, _ requester: Requester) -> Bool {
        guard mayBegin(use, requester) else { return false }
        begin(use, requester)
        return true
    }

    mutating func wait(_ element: Element, _ use: ConnectionUse, _ requester: Requester) throws(FairQueueRefusal) {
        try waiting.enqueue(WaitingCall(use: use, requester: requester, element: element), for: Line(share: requester.share, use: use))
    }

    /// Takes back a connection. Call `next` afterwards until it returns `nil`.
    /// - Parameter time: how long the caller held it.
    mutating func give(_ use: ConnectionUse, _ requester: Requester, after time: Duration) {
        free += 1
        hold(use, requester, -1)
        let most = requester.share == .server ? Self.mostTimeOfServer : Self.mostTime
        usage.used(min(time, most), by: requester.share, in: requester.networkShare)
        // All connections are free and no call waits, so nobody had to wait for the uses so far.
        if free == connections, waiting.isEmpty { usage.reset() }
    }

    /// Removes and returns the waiting caller that gets a connection now.
    mutating func next() -> Element? {
        guard free > 0, !waiting.isEmpty else { return nil }
        let rank: (WaitingCall) -> UInt64 = { [usage] call in usage.rank(of: call.requester.share, in: call.requester.networkShare) }
        let mayRun: (Line, WaitingCall) -> Bool = { [free, held, limits] _, call in
            Self.mayBegin(call.use, call.requester, free: free, held, limits)
        }
        guard let call = waiting.dequeue(whereNext: mayRun, rank: rank)?.element else { return nil }
        begin(call.use, call.requester)
        return call.element
    }

    /// Removes a caller that no longer wants to wait.
    mutating func remove(where matches: (Element) -> Bool) -> Element? { waiting.remove { matches($0.element) }?.element }

    private func mayBegin(_ use: ConnectionUse, _ requester: Requester) -> Bool {
        Self.mayBegin(use, requester, free: free, held, limits)
    }

    private static func mayBegin(
        _ use: ConnectionUse, _ requester: Requester, free: Int, _ held: [Requester.Share: Held], _ limits: ConnectionLimits
    ) -> Bool {
        guard free > 0 else { return false }
        return mayBegin(use, requester.share, free: free, held, limits) && mayBegin(use, requester.networkShare, free: free, held, limits)
    }

    private static func mayBegin(
        _ use: ConnectionUse, _ share: Requester.Share, free: Int, _ held: [Requester.Share: Held], _ limits: ConnectionLimits
    ) -> Bool {
        guard let holding = held[share] else { return true }
        let isBelowLimit: Bool
        switch (share, use) {
        // The server's own work is limited by its number of jobs.
        case (.server, _): return true
        case (.account, .read): isBelowLimit = holding.reads < limits.readsPerAccount
        case (.account, .write): isBelowLimit = holding.writes < limits.writesPerAccount
        case (.network, .read): isBelowLimit = holding.reads < limits.readsPerNetwork
        case (.network, .write): isBelowLimit = holding.writes < limits.writesPerNetwork
        }
        return isBelowLimit && free > limits.reserved
    }

    private mutating func begin(_ use: ConnectionUse, _ requester: Requester) {
        free -= 1
        hold(use, requester, 1)
    }

    private mutating func hold(_ use: ConnectionUse, _ requester: Requester, _ change: Int) {
        hold(use, requester.share, change)
        // Without a network, the network's share is that of the account or the server, which the line above has counted.
        if requester.networkShare != requester.share { hold(use, requester.networkShare, change) }
    }

    private mutating func hold(_ use: ConnectionUse, _ share: Requester.Share, _ change: Int) {
        var new = held[share] ?? Held()
        switch use {
        case .read: new.reads += change
        case .write: new.writes += change
        }
        // The entry is removed at zero, because otherwise the table would keep one for every requester that ever called.
        held[share] = new.isEmpty ? nil : new
    }
}

extension ConnectionQueue.WaitingCall: Sendable where Element: Sendable {}
extension ConnectionQueue: Sendable where Element: Sendable {}

/// The calls that wait for each other: those of one requester for one use. So its reads do not wait behind its writes, which may be at
/// their limit.
private struct Line: Hashable, Sendable {
    let share: Requester.Share
    let use: ConnectionUse
}

/// The number of connections that an account or a network holds.
private struct Held: Sendable {
    var reads = 0
    var writes = 0
    var isEmpty: Bool { reads == 0 && writes == 0 }
}
