import Core
package import HTTPServer
import HTTPTypes
import NIOCore
import Synchronization

/// Limits how many requests the server processes at a time. A few more wait in a queue. When the queue is full too, a request gets 503 at
/// once, so that its client learns of the overload early. One caller and one network can use only a part of the slots. Another part is
/// reserved for networks that hold few slots. The queue serves its callers in turn.
///
/// For the reserve, an IPv6 /48 counts as one network. Otherwise eight of the 65,536 networks that one customer may have would occupy it.
///
/// A request that waits for its client holds no slot. When it continues, it goes before new requests, because the server has already read
/// its body.
package final class Admission: Sendable {
    /// A caller as far as it is known before authentication: its network and a hash of its credential.
    struct Caller: Hashable, Sendable {
        /// `nil` on a Unix socket.
        let network: Network?
        /// Distinguishes the clients of one network: a hash of the credential's last 32 bytes. Nothing has verified the credential yet, so
        /// it must serve no other purpose.
        let credentialHash: Int

        init(network: Network?, credentialHash: Int = 0) {
            self.network = network
            self.credentialHash = credentialHash
        }

        init(network: Network?, _ fields: HTTPFields) {
            // Do not use the subscript of `HTTPFields`, because it copies the value.
            let credential = fields.first { $0.name == .authorization } ?? fields.first { $0.name == .cookie }
            self.init(network: network, credentialHash: credential.map { Self.hash(of: $0.value) } ?? 0)
        }

        /// Hashes the end of the credential, because a token ends with its signature, which differs between clients.
        private static func hash(of credential: String) -> Int {
            var credential = credential
            var hasher = Hasher()
            credential.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0).suffix(32))) }
            return hasher.finalize()
        }
    }

    /// Requests by network and by IPv6 site.
    private struct NetworkCounts {
        private var ofNetwork: [Network: Int] = [:]
        private var ofSite: [Network: Int] = [:]

        mutating func add(_ network: Network?) {
            guard let network else { return }
            ofNetwork[network, default: 0] += 1
            if let site = network.site { ofSite[site, default: 0] += 1 }
        }

        mutating func remove(_ network: Network?) {
            Admission.subtract(&ofNetwork, network)
            Admission.subtract(&ofSite, network?.site)
        }

        func count(of network: Network) -> Int { ofNetwork[network, default: 0] }

        /// The number that the reserve compares: the requests of the network's IPv6 site, or of the network if it has no site.
        func countOfSite(_ network: Network) -> Int { network.site.map { ofSite[$0, default: 0] } ?? count(of: network) }
    }

    /// The slots in use, by network and by caller. The lock of `state` guards it.
    private struct SlotsInUse {
        var count = 0
        private var byNetwork = NetworkCounts()
        private var ofCaller: [Caller: Int] = [:]

        mutating func add(_ caller: Caller) {
            count += 1
            ofCaller[caller, default: 0] += 1
            byNetwork.add(caller.network)
        }

        mutating func remove(_ caller: Caller) {
            count -= 1
            Admission.subtract(&ofCaller, caller)
            byNetwork.remove(caller.network)
        }

        func mayTakeSlot(_ caller: Caller, _ limits: ChannelLimits) -> Bool {
            // No caller and no network holds more slots than are in use in total. So below this number both are within their limits,
            // without a look-up.
            if count < min(limits.requestsInWorkPerCaller, limits.requestsInWorkPerNetwork) { return true }
            if ofCaller[caller, default: 0] >= limits.requestsInWorkPerCaller { return false }
            guard let network = caller.network else { return true }
            guard byNetwork.count(of: network) < limits.requestsInWorkPerNetwork else { return false }
            // `open` is at least the limit of one network, so the reserve does not lower that limit.
            let open = max(limits.requestsInWork - limits.requestsReserved, limits.requestsInWorkPerNetwork)
            return count < open || byNetwork.countOfSite(network) < limits.requestsOfSmallNetwork
        }
    }

    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var inUse = SlotsInUse()
        var newcomers: FairQueue<Caller, Waiter>
        var waiting = NetworkCounts()
        var returning: FairQueue<Caller, Waiter>
        var refused = 0
        var lastTicket: UInt64 = 0

        var isWaitedFor: Bool { !newcomers.isEmpty || !returning.isEmpty }
    }

    private let limits: ChannelLimits
    private let state: Mutex<State>

    package init(_ limits: ChannelLimits) {
        self.limits = limits
        state = Mutex(
            State(
                newcomers: FairQueue(limit: limits.requestsWaiting, limitPerKey: limits.requestsWaitingPerCaller),
                returning: FairQueue(limit: limits.requestsReturning, limitPerKey: limits.requestsReturning)))
    }

    package var inWorkCount: Int { state.withLock { $0.inUse.count } }
    package var waitingCount: Int { state.withLock { $0.newcomers.count + $0.returning.count } }
    /// Requests refused since the start.
    package var refusedCount: Int { state.withLock { $0.refused } }

    /// - Returns: `false` when the request must wait or be refused; `enter` decides which.
    fileprivate func enterAtOnce(_ caller: Caller) -> Bool { state.withLock { take(caller, &$0) } }

    /// - Parameters:
    ///   - isReturning: whether the request had a slot before and released it to wait for its client.
    ///   - eventLoop: schedules the timeout of the wait.
    /// - Throws: `Problem(.unavailable)` with `Retry-After`.
    fileprivate func enter(_ caller: Caller, isReturning: Bool, _ eventLoop: any EventLoop) async throws {
        let isAtOnce: Bool? = state.withLock { state in
            if take(caller, &state) { return true }
            return hasRoom(caller, isReturning: isReturning, state) ? false : nil
        }
        if isAtOnce == true { return }
        if isAtOnce == false, await wait(caller, isReturning: isReturning, eventLoop) { return }
        state.withLock { $0.refused += 1 }
        throw Problem(.unavailable, "The server is overloaded. Try again shortly.", retryAfter: .seconds(1))
    }

    private func wait(_ caller: Caller, isReturning: Bool, _ eventLoop: any EventLoop) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let time = isReturning ? limits.returnWait : limits.requestWait
        let deadline = eventLoop.scheduleTask(in: TimeAmount(time)) { self.giveUp(ticket, caller) }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Other requests may have come and gone since `enter` checked.
                    if Task.isCancelled { return false }
                    if take(caller, &state) { return true }
                    return enqueue(Waiter(ticket: ticket, continuation: continuation), caller, isReturning: isReturning, &state)
                        ? nil : false
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(ticket, caller)
        }
    }

    private func giveUp(_ ticket: UInt64, _ caller: Caller) {
        let waiter: Waiter? = state.withLock { state in
            if let waiter = state.returning.remove(where: { $0.ticket == ticket }) { return waiter }
            guard let waiter = state.newcomers.remove(where: { $0.ticket == ticket }) else { return nil }
            state.waiting.remove(caller.network)
            return waiter
        }
        waiter?.continuation.resume(returning: false)
    }

    /// Counts a request as one in progress, even beyond the limits.
    fileprivate func enterBeyondLimits(_ caller: Caller) { state.withLock { $0.inUse.add(caller) } }

    fileprivate func leave(_ caller: Caller) {
        let next: Waiter? = state.withLock { state in
            state.inUse.remove(caller)
            guard state.isWaitedFor, let next = dequeue(&state) else { return nil }
            state.inUse.add(next.key)
            return next.element
        }
        next?.continuation.resume(returning: true)
    }

    // MARK: Called with the lock held

    private func take(_ caller: Caller, _ state: inout State) -> Bool {
        guard state.inUse.count < limits.requestsInWork, state.inUse.mayTakeSlot(caller, limits),
            !state.isWaitedFor || state.newcomers.count(of: caller) == 0 && state.returning.count(of: caller) == 0
        else { return false }
        state.inUse.add(caller)
        return true
    }

    /// Takes a returning request before new ones. The copy of `inUse` must be released before this returns; otherwise counting the next
    /// request would copy the dictionaries in it.
    private func dequeue(_ state: inout State) -> (key: Caller, element: Waiter)? {
        let mayWork: (Caller) -> Bool = { [limits, inUse = state.inUse] in inUse.mayTakeSlot($0, limits) }
        if let next = state.returning.dequeue(where: mayWork) { return next }
        guard let next = state.newcomers.dequeue(where: mayWork) else { return nil }
        state.waiting.remove(next.key.network)
        return next
    }

    private func hasRoom(_ caller: Caller, isReturning: Bool, _ state: State) -> Bool {
        guard !isReturning else { return state.returning.count < limits.requestsReturning }
        let ofNetwork = caller.network.map { state.waiting.count(of: $0) } ?? 0
        let ofSite = caller.network.map { state.waiting.countOfSite($0) } ?? 0
        let open = max(limits.requestsWaiting - limits.requestsWaitingReserved, limits.requestsWaitingPerNetwork)
        guard state.newcomers.count < open || ofSite < limits.requestsOfSmallNetwork else { return false }
        return state.newcomers.count < limits.requestsWaiting && ofNetwork < limits.requestsWaitingPerNetwork
            && state.newcomers.count(of: caller) < limits.requestsWaitingPerCaller
    }

    private func enqueue(_ waiter: Waiter, _ caller: Caller, isReturning: Bool, _ state: inout State) -> Bool {
        guard hasRoom(caller, isReturning: isReturning, state) else { return false }
        do throws(FairQueueRefusal) {
            if isReturning {
                try state.returning.enqueue(waiter, for: caller)
            } else {
                try state.newcomers.enqueue(waiter, for: caller)
                state.waiting.add(caller.network)
            }
            return true
        } catch {
            return false
        }
    }

    private static func subtract<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key?) {
        guard let key, let index = counts.index(forKey: key) else { return }
        // Remove the key at zero. Otherwise the dictionary would grow with every caller that ever sent a request.
        if counts.values[index] > 1 { counts.values[index] -= 1 } else { counts.remove(at: index) }
    }
}

/// A request's slot among those in progress. The request releases it while it waits for its client.
final class AdmissionSlot: Sendable {
    private let admission: Admission
    private let caller: Admission.Caller
    private let isHeld = Mutex(true)

    private init(entered admission: Admission, _ caller: Admission.Caller) {
        self.admission = admission
        self.caller = caller
    }

    /// `nil` when no slot is free; `enter` then waits for one.
    convenience init?(_ admission: Admission, _ caller: Admission.Caller) {
        guard admission.enterAtOnce(caller) else { return nil }
        self.init(entered: admission, caller)
    }

    /// - Throws: `Problem(.unavailable)` when there are too many.
    static func enter(_ admission: Admission, _ caller: Admission.Caller, _ eventLoop: any EventLoop) async throws -> AdmissionSlot {
        try await admission.enter(caller, isReturning: false, eventLoop)
        return AdmissionSlot(entered: admission, caller)
    }

    /// Calling it again does nothing.
    func leave() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { admission.leave(caller) }
    }

    /// Takes a slot again after `leave`, before requests that have not begun.
    /// - Throws: `Problem(.unavailable)` when none becomes free.
    func reacquire(_ eventLoop: any EventLoop) async throws {
        guard !isHeld.withLock({ $0 }) else { return }
        try await admission.enter(caller, isReturning: true, eventLoop)
        isHeld.withLock { $0 = true }
    }

    /// Takes a slot again after `leave`, even beyond the limits.
    func reacquireAtOnce() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = true }
            return isHeld
        }
        if !wasHeld { admission.enterBeyondLimits(caller) }
    }
}
