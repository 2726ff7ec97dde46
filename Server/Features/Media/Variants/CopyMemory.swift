import Core

/// Bounds the memory of copies, from before a media worker makes a copy until the copy is stored, and for as long as a slow client reads it
/// from memory.
///
/// A copy that is small for certain gets a share of a budget. A copy that may be large, or that finds the budget used up, waits for one of
/// few turns instead, which accounts and networks take one after another. Such a turn counts among those that the request holds
/// (`HeldTurns`), so the media workers make the copy before other copies of its account. Long work has turns of its own, so that thumbnails
/// and copies of ordinary photos do not wait for films.
struct CopyMemory: Sendable {
    /// What a copy holds until it is stored.
    enum Hold: Sendable {
        /// A part of the budget.
        case share(SharedBudget.Share)
        /// The right to a copy of at most `PictureLimits.variantByteCount`.
        case turn(FairSemaphore.Permit)

        /// Calling it again does nothing.
        func release() {
            switch self {
            case .share(let share): share.release()
            case .turn(let permit): permit.release()
            }
        }
    }

    static let budget = SharedBudget.Limits(
        total: 32 << 20, perAccount: 8 << 20, perNetwork: 16 << 20, reserve: 8 << 20, small: 1 << 20)
    /// One account or network may hold as many turns as it may occupy media workers: all but one. One turn is only for networks that hold
    /// none. The number of requests that wait for copies is bounded elsewhere (`StoredFiles`), so no wish for a turn is refused.
    static let turns = FairSemaphore.Limits(
        permits: 4, permitsPerKey: 3, permitsPerNetwork: 3, waiting: 1_024, waitingPerKey: 1_024, reserve: 1, small: 1)
    /// A larger copy, such as a whole picture without metadata, is stored before it is sent.
    static let maxByteCountInMemory = 2 << 20
    /// Counted for each copy at least, which bounds their number.
    private static let minShare = 64 << 10

    private let budget = SharedBudget(CopyMemory.budget)
    private let shortTurns = FairSemaphore(CopyMemory.turns)
    private let longTurns = FairSemaphore(CopyMemory.turns)

    /// The bytes of the budget that are held, the copies that have a turn, and those that wait for one.
    var counts: (bytes: Int, turns: Int, waiting: Int) {
        (budget.held, shortTurns.heldCount + longTurns.heldCount, shortTurns.waitingCount + longTurns.waitingCount)
    }

    /// Call it before the copy is made.
    /// - Parameters:
    ///   - mostByteCount: the largest size that is to be expected of the copy.
    ///   - isLong: whether making it may take seconds.
    /// - Throws: `.unavailable` when too many copies wait for a turn; `CancellationError`.
    func hold(for mostByteCount: Int, isLong: Bool) async throws -> Hold {
        if mostByteCount <= Self.maxByteCountInMemory, let share = try? budget.share(max(mostByteCount, Self.minShare)) {
            return .share(share)
        }
        do {
            return .turn(try await (isLong ? longTurns : shortTurns).acquire(for: .current, holder: Requester.source?.turns))
        } catch is FairQueueRefusal {
            throw Problem(.unavailable, "Too many copies wait to be made. Try again later.", retryAfter: .seconds(5))
        }
    }

    /// The share of the budget with which a copy may be sent before it is stored. It replaces what the copy held before.
    /// - Parameter byteCount: of the copy, which exists now.
    /// - Returns: `nil` when the copy is too large, or when too many copies are in memory. The copy then keeps what it holds.
    func share(for byteCount: Int, insteadOf hold: Hold) -> SharedBudget.Share? {
        guard byteCount <= Self.maxByteCountInMemory else { return nil }
        let needed = max(byteCount, Self.minShare)
        switch hold {
        case .turn(let permit):
            guard let share = try? budget.share(needed) else { return nil }
            permit.release()
            return share
        case .share(let share):
            let missing = needed - share.amount
            if missing > 0 {
                guard (try? share.grow(by: missing)) != nil else { return nil }
            } else {
                share.shrink(by: -missing)
            }
            return share
        }
    }
}
