import Core
internal import Synchronization

/// The bytes that one upload may stage: those without a reservation and those it has reserved. Only one task at a time may call it.
final class UploadAllowance: Sendable {
    /// The reservation as a checkpoint stores it.
    struct Reservation: Codable, Sendable {
        let id: String
        let byteCount: Int64
    }

    private struct State {
        /// Staged bytes by the number of the file within the request.
        var files: [Int: Int64] = [:]
        var staged: Int64 = 0
        /// The announced length of the body in bytes; `nil` when the client announced none.
        var announced: Int64?
        var unreserved: SharedBudget.Share?
        /// The reservation's identifier, created with the first reservation.
        var id: String?
        var reserved: Int64 = 0
        var hasReservation = false
        var renewAt = Timestamp(microseconds: 0)

        var covered: Int64 { Int64(unreserved?.amount ?? 0) + reserved }
    }

    private let budget: UploadBudget
    private let owner: String
    private let replacing: Int64
    /// Whether the client can resume this upload. If so, the server reserves all its bytes in the database, because a count in memory would
    /// not survive a restart.
    private let isResumable: Bool
    private let state: Mutex<State>

    /// - Parameter reservation: the reservation of the upload that is resumed.
    init(_ budget: UploadBudget, owner: String, replacing: Int64, isResumable: Bool, resuming reservation: Reservation? = nil) {
        self.budget = budget
        self.owner = owner
        self.replacing = replacing
        self.isResumable = isResumable
        var state = State()
        if let reservation {
            state.id = reservation.id
            state.reserved = reservation.byteCount
            state.hasReservation = true
        }
        self.state = Mutex(state)
    }

    private var lease: Duration { isResumable ? UploadJournal.lifetime : budget.limits.lease }

    /// `nil` when nothing is reserved.
    var reservation: Reservation? {
        state.withLock { state in
            guard state.hasReservation, let id = state.id else { return nil }
            return Reservation(id: id, byteCount: state.reserved)
        }
    }

    /// Refuses a body that cannot fit before a byte of it is read.
    /// - Throws: `QuotaExceeded`.
    func checkAnnouncedLength(_ byteCount: Int64) async throws {
        state.withLock { $0.announced = byteCount }
        let least = byteCount - budget.limits.framing
        // Skip the query for a small body: `reserve` bounds what it can stage in any case.
        guard least > replacing else { return }
        try await budget.quota.check(least - replacing, of: owner)
    }

    /// Reserves quota for bytes that are about to be staged for the file of that number.
    /// - Throws: `QuotaExceeded`.
    func reserve(_ byteCount: Int, forFile file: Int) async throws {
        try await renewIfDue()
        while true {
            let missing = state.withLock { $0.staged + Int64(byteCount) - $0.covered }
            if missing <= 0 { break }
            if takeUnreserved(missing) { break }
            try await extendReservation(by: byteCount)
        }
        state.withLock { state in
            state.staged += Int64(byteCount)
            state.files[file, default: 0] += Int64(byteCount)
        }
    }

    /// Counts bytes of a resumed upload that are already staged.
    func restore(_ byteCount: Int64, of file: Int) {
        state.withLock { state in
            state.staged += byteCount
            state.files[file, default: 0] += byteCount
        }
    }

    /// Call when the staged bytes of that file are deleted. The quota they used is then available for the next file.
    func returnBytes(ofFile file: Int) {
        state.withLock { state in state.staged -= state.files.removeValue(forKey: file) ?? 0 }
    }

    /// Call it after the transaction that writes the rows. That transaction has also released the reservation.
    func didCommit() {
        let share = state.withLock { state in
            state.hasReservation = false
            state.reserved = 0
            return state.unreserved.take()
        }
        share?.release()
    }

    /// Releases all quota of this upload. Call it after the staged bytes are deleted. Further calls do nothing.
    func release() async {
        let (share, reserved) = state.withLock { state in
            defer {
                state.hasReservation = false
                state.reserved = 0
            }
            return (state.unreserved.take(), state.hasReservation ? state.id : nil)
        }
        share?.release()
        guard let id = reserved else { return }
        // Use a separate task: the request's task may be cancelled, and the database cancels writes of cancelled tasks. A reservation that
        // cannot be removed now expires later.
        await Task { [budget, owner] in try? await budget.quota.release(id, owner: owner) }.value
    }

    private func takeUnreserved(_ byteCount: Int64) -> Bool {
        guard !isResumable else { return false }
        return state.withLock { state in
            guard !state.hasReservation else { return false }
            do throws(SharedBudget.Refusal) {
                guard let share = state.unreserved else {
                    guard byteCount <= budget.limits.unreservedPerUpload else { return false }
                    state.unreserved = try budget.unreserved.share(Int(byteCount), of: Requester(account: owner, network: nil))
                    return true
                }
                guard Int64(share.amount) + byteCount <= budget.limits.unreservedPerUpload else { return false }
                try share.grow(by: Int(byteCount))
                return true
            } catch {
                return false
            }
        }
    }

    /// Reserves all staged bytes and `byteCount` more. The reservation then also covers bytes that were staged without one.
    private func extendReservation(by byteCount: Int) async throws {
        let limits = budget.limits
        let (announced, staged, reserved) = state.withLock { ($0.announced, $0.staged, $0.reserved) }
        let missing = staged + Int64(byteCount) - reserved
        // If the length is announced, reserve all of it in one step, since that much will arrive. Otherwise reserve in growing steps.
        let step = announced.map { $0 - reserved } ?? max(limits.firstStep, reserved)
        let wanted = max(missing, min(limits.largestStep, step))
        // Note the id before the reservation is written to the database. If the task is cancelled, nobody knows whether that write has
        // happened, so `release` must remove the reservation in any case.
        let id = state.withLock { state in
            let id = state.id ?? budget.identifiers.next()
            state.id = id
            state.hasReservation = true
            return id
        }
        let total = try await budget.quota.reserve(
            ReservationRequest(
                id: id, owner: owner, wanted: wanted, least: max(missing, min(limits.smallestStep, wanted)), replacing: replacing,
                lease: lease))
        let share = state.withLock { state in
            state.reserved = total
            state.renewAt = budget.identifiers.clock.now + limits.renewal
            return state.unreserved.take()
        }
        share?.release()
    }

    private func renewIfDue() async throws {
        let now = budget.identifiers.clock.now
        guard let id = state.withLock({ $0.hasReservation && $0.renewAt <= now ? $0.id : nil }) else { return }
        let isThere = try await budget.quota.renew(id, owner: owner, lease: lease)
        state.withLock { state in
            state.renewAt = now + budget.limits.renewal
            if !isThere { state.reserved = 0 }
        }
    }
}
