import Core
package import HTTPServer
import HTTPTypes
import NIOCore
import Synchronization

/// How many requests are worked on at a time. Some more may wait a moment; beyond that a request is answered 503 at once, while there
/// is still time to say so. One caller and one network have a part of the places, and those who wait take turns by caller.
///
/// A request that waits for its client has no place. When it comes back it goes before new ones, since its body has been read already.
package final class Admission: Sendable {
    /// Who asks, as far as it is known before anything was looked at.
    struct Asker: Hashable, Sendable {
        /// `nil` on a Unix socket.
        let network: Network?
        /// Tells the clients of one network apart: of the end of the credential, which is believed for nothing else.
        let caller: Int

        init(network: Network?, caller: Int = 0) {
            self.network = network
            self.caller = caller
        }

        init(network: Network?, _ fields: HTTPFields) {
            // Not by the subscript, which copies the value.
            let credential = fields.first { $0.name == .authorization } ?? fields.first { $0.name == .cookie }
            self.init(network: network, caller: credential.map { Self.caller($0.value) } ?? 0)
        }

        /// A token's last characters are of its signature.
        private static func caller(_ credential: String) -> Int {
            var credential = credential
            var hasher = Hasher()
            credential.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0).suffix(32))) }
            return hasher.finalize()
        }
    }

    /// Who has the places. Guarded by the lock.
    private struct Held {
        var count = 0
        private var ofNetwork: [Network: Int] = [:]
        private var ofCaller: [Asker: Int] = [:]

        mutating func add(_ asker: Asker) {
            count += 1
            ofCaller[asker, default: 0] += 1
            if let network = asker.network { ofNetwork[network, default: 0] += 1 }
        }

        mutating func remove(_ asker: Asker) {
            count -= 1
            Admission.subtract(&ofCaller, asker)
            Admission.subtract(&ofNetwork, asker.network)
        }

        func hasShare(_ asker: Asker, _ limits: ChannelLimits) -> Bool {
            // Nobody has more places than all together.
            if count < min(limits.requestsInWorkPerCaller, limits.requestsInWorkPerNetwork) { return true }
            if ofCaller[asker, default: 0] >= limits.requestsInWorkPerCaller { return false }
            guard let network = asker.network else { return true }
            return ofNetwork[network, default: 0] < limits.requestsInWorkPerNetwork
        }
    }

    private struct Waiter {
        let ticket: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var held = Held()
        var newcomers: FairQueue<Asker, Waiter>
        var waitingOfNetwork: [Network: Int] = [:]
        var returning: FairQueue<Asker, Waiter>
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

    package var inWorkCount: Int { state.withLock { $0.held.count } }
    package var waitingCount: Int { state.withLock { $0.newcomers.count + $0.returning.count } }
    /// Since the start.
    package var refusedCount: Int { state.withLock { $0.refused } }

    /// - Returns: `false` when the request has to wait, or to be refused: `enter` does either.
    fileprivate func enterAtOnce(_ asker: Asker) -> Bool { state.withLock { take(asker, &$0) } }

    /// - Parameters:
    ///   - isReturning: the request had a place before and gave it back to wait for its client.
    ///   - eventLoop: whose clock ends the waiting.
    /// - Throws: `Problem(.unavailable)` with `Retry-After`.
    fileprivate func enter(_ asker: Asker, isReturning: Bool, _ eventLoop: any EventLoop) async throws {
        let isAtOnce: Bool? = state.withLock { state in
            if take(asker, &state) { return true }
            return hasRoom(asker, isReturning: isReturning, state) ? false : nil
        }
        if isAtOnce == true { return }
        if isAtOnce == false, await wait(asker, isReturning: isReturning, eventLoop) { return }
        state.withLock { $0.refused += 1 }
        throw Problem(.unavailable, "The server has more to do than it can. Try again shortly.", retryAfter: .seconds(1))
    }

    private func wait(_ asker: Asker, isReturning: Bool, _ eventLoop: any EventLoop) async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let time = isReturning ? limits.returnWait : limits.requestWait
        let deadline = eventLoop.scheduleTask(in: TimeAmount(time)) { self.giveUp(ticket, asker) }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Between the question and now others came and went.
                    if Task.isCancelled { return false }
                    if take(asker, &state) { return true }
                    return enqueue(Waiter(ticket: ticket, continuation: continuation), asker, isReturning: isReturning, &state)
                        ? nil : false
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(ticket, asker)
        }
    }

    private func giveUp(_ ticket: UInt64, _ asker: Asker) {
        let waiter: Waiter? = state.withLock { state in
            if let waiter = state.returning.remove(where: { $0.ticket == ticket }) { return waiter }
            guard let waiter = state.newcomers.remove(where: { $0.ticket == ticket }) else { return nil }
            Self.subtract(&state.waitingOfNetwork, asker.network)
            return waiter
        }
        waiter?.continuation.resume(returning: false)
    }

    fileprivate func leave(_ asker: Asker) {
        let next: Waiter? = state.withLock { state in
            state.held.remove(asker)
            guard state.isWaitedFor, let next = dequeue(&state) else { return nil }
            state.held.add(next.key)
            return next.element
        }
        next?.continuation.resume(returning: true)
    }

    // MARK: Under the lock

    private func take(_ asker: Asker, _ state: inout State) -> Bool {
        guard state.held.count < limits.requestsInWork, state.held.hasShare(asker, limits),
            !state.isWaitedFor || state.newcomers.count(of: asker) == 0 && state.returning.count(of: asker) == 0
        else { return false }
        state.held.add(asker)
        return true
    }

    /// Whoever comes back goes before whoever is new. The copy of `held` ends here, or counting the next one would copy its tables.
    private func dequeue(_ state: inout State) -> (key: Asker, element: Waiter)? {
        let mayWork: (Asker) -> Bool = { [limits, held = state.held] in held.hasShare($0, limits) }
        if let next = state.returning.dequeue(where: mayWork) { return next }
        guard let next = state.newcomers.dequeue(where: mayWork) else { return nil }
        Self.subtract(&state.waitingOfNetwork, next.key.network)
        return next
    }

    private func hasRoom(_ asker: Asker, isReturning: Bool, _ state: State) -> Bool {
        guard !isReturning else { return state.returning.count < limits.requestsReturning }
        let ofNetwork = asker.network.map { state.waitingOfNetwork[$0, default: 0] } ?? 0
        return state.newcomers.count < limits.requestsWaiting && ofNetwork < limits.requestsWaitingPerNetwork
            && state.newcomers.count(of: asker) < limits.requestsWaitingPerCaller
    }

    private func enqueue(_ waiter: Waiter, _ asker: Asker, isReturning: Bool, _ state: inout State) -> Bool {
        guard hasRoom(asker, isReturning: isReturning, state) else { return false }
        do throws(FairQueueRefusal) {
            if isReturning {
                try state.returning.enqueue(waiter, for: asker)
            } else {
                try state.newcomers.enqueue(waiter, for: asker)
                if let network = asker.network { state.waitingOfNetwork[network, default: 0] += 1 }
            }
            return true
        } catch {
            return false
        }
    }

    private static func subtract<Key: Hashable>(_ counts: inout [Key: Int], _ key: Key?) {
        guard let key, let index = counts.index(forKey: key) else { return }
        // Forgotten at zero, or the table would grow with everybody who ever came.
        if counts.values[index] > 1 { counts.values[index] -= 1 } else { counts.remove(at: index) }
    }
}

/// A request's place among those that are worked on, which it leaves while it waits for its client.
final class AdmissionPlace: Sendable {
    private let admission: Admission
    private let asker: Admission.Asker
    private let isHeld = Mutex(true)

    private init(entered admission: Admission, _ asker: Admission.Asker) {
        self.admission = admission
        self.asker = asker
    }

    /// `nil` when there is none at once: then `enter` waits for one.
    convenience init?(_ admission: Admission, _ asker: Admission.Asker) {
        guard admission.enterAtOnce(asker) else { return nil }
        self.init(entered: admission, asker)
    }

    /// - Throws: `Problem(.unavailable)` when there are too many.
    static func enter(_ admission: Admission, _ asker: Admission.Asker, _ eventLoop: any EventLoop) async throws -> AdmissionPlace {
        try await admission.enter(asker, isReturning: false, eventLoop)
        return AdmissionPlace(entered: admission, asker)
    }

    /// Calling it again does nothing.
    func leave() {
        let wasHeld = isHeld.withLock { isHeld in
            defer { isHeld = false }
            return isHeld
        }
        if wasHeld { admission.leave(asker) }
    }

    /// Before those that have not begun.
    /// - Throws: `Problem(.unavailable)` when none becomes free.
    func takeAgain(_ eventLoop: any EventLoop) async throws {
        guard !isHeld.withLock({ $0 }) else { return }
        try await admission.enter(asker, isReturning: true, eventLoop)
        isHeld.withLock { $0 = true }
    }
}
