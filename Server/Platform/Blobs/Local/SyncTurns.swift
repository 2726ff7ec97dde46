import Core

/// The turns of accounts and networks at the threads that wait for the disk to sync.
///
/// Up to 16 MB of a file are still to be written when its upload ends (`StagingFile`), and an account can end its 32 uploads at the same
/// time. On a disk that writes 125 MB/s, these syncs take about four seconds. If they could have all threads, the small upload of somebody
/// else would wait for them.
///
/// The server's own work takes no turns. The number of its jobs, and of copies that are stored at a time, limits it. A task that holds
/// another scarce turn (`HeldTurns`) takes none either, because others wait for that turn.
struct SyncTurns: Sendable {
    /// How many threads there are.
    static let threadCount = 32
    /// Enough for one account: the file system commits these syncs together.
    static let perAccount = 12
    static let perNetwork = 16
    /// Threads that are reserved for networks that use fewer than `few` threads.
    static let reserve = 8
    static let few = 2

    // The limits on unfinished uploads already bound how many calls wait.
    private let threads = FairSemaphore(
        .init(
            permits: threadCount, permitsPerKey: perAccount, permitsPerNetwork: perNetwork, waiting: .max, waitingPerKey: .max,
            reserve: reserve, small: few))

    /// The number of calls that wait for a turn.
    var waitingCount: Int { threads.waitingCount }

    /// Waits for the turn of the current task's requester. Does not end when the task is cancelled, because the file of a cancelled request
    /// must still be completed or deleted.
    /// - Returns: `nil` for work that takes no turns.
    func permit() async -> FairSemaphore.Permit? {
        let requester = Requester.current
        guard requester != .server, !Requester.holdsTurn else { return nil }
        if let permit = threads.acquireNow(for: requester) { return permit }
        // The new task is not cancelled with the current one.
        let waiting = Task { [threads] in try await threads.acquire(for: requester) }
        return try? await waiting.value
    }
}
