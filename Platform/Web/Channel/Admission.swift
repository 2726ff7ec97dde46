import Core
import Database
import Hummingbird
import NIOCore
import Synchronization

/// How many requests are worked on at a time. Some more may wait a moment; beyond that a request is answered 503 at once, while there
/// is still time to say so.
package final class Admission: Sendable {
    /// A request's place among those that are worked on; given back once.
    final class Permit: Sendable {
        private let admission: Admission
        private let isHeld = Mutex(true)

        fileprivate init(_ admission: Admission) { self.admission = admission }

        /// Waits for a place again, after it was given back.
        /// - Throws: as `enter`.
        func takeBack(_ eventLoop: any EventLoop) async throws -> Permit { try await admission.enter(eventLoop) }

        /// For a request that is only waiting for something to happen, and for one that is answered.
        func giveBack() {
            let wasHeld = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if wasHeld { admission.leave() }
        }
    }

    private struct State {
        var inWork = 0
        var refused = 0
        var nextTicket = 0
        /// In the order of their coming; at most `limits.requestsWaiting`.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let limits: ChannelLimits
    private let most: Int
    private let state = Mutex(State())

    /// - Parameter most: requests that are worked on at a time.
    package init(most: Int, limits: ChannelLimits) {
        self.most = most
        self.limits = limits
    }

    package var inWorkCount: Int { state.withLock { $0.inWork } }
    package var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// Since the start.
    package var refusedCount: Int { state.withLock { $0.refused } }

    /// - Parameter eventLoop: whose clock ends the waiting.
    /// - Throws: `Problem(.unavailable)` with `Retry-After`.
    func enter(_ eventLoop: any EventLoop) async throws -> Permit {
        let isAtOnce: Bool? = state.withLock { state in
            if state.inWork < most, state.waiting.isEmpty {
                state.inWork += 1
                return true
            }
            return state.waiting.count < limits.requestsWaiting ? false : nil
        }
        if isAtOnce == true { return Permit(self) }
        if isAtOnce == false, await wait(eventLoop) { return Permit(self) }
        state.withLock { $0.refused += 1 }
        throw Problem(.unavailable, "The server has more to do than it can. Try again shortly.", retryAfter: .seconds(1))
    }

    private func wait(_ eventLoop: any EventLoop) async -> Bool {
        let ticket = state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        let deadline = eventLoop.scheduleTask(in: TimeAmount(limits.requestWait)) { self.giveUp(ticket) }
        defer { deadline.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // Between the question and now others came and went.
                    if Task.isCancelled { return false }
                    if state.inWork < most {
                        state.inWork += 1
                        return true
                    }
                    guard state.waiting.count < limits.requestsWaiting else { return false }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(ticket)
        }
    }

    private func giveUp(_ ticket: Int) {
        let continuation: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: false)
    }

    private func leave() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.inWork -= 1
                return nil
            }
            // The place goes on to whoever waits longest.
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}

/// Lets requests in, or answers that there are too many. What tells whether the server lives is always answered.
///
/// Uploads are counted apart: most of their time they wait for their client, and so many slow ones must not keep others out.
struct AdmissionGate: RouterMiddleware {
    typealias Context = WebContext
    let requests: Admission
    let uploads: Admission
    /// Where requests are worked on; `nil` is Swift's own pool.
    let threads: (any WorkThreads)?
    /// So many may wait for a thread uncounted: some hundredths of a second.
    private static let uncounted = 128

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        guard !request.uri.path.hasPrefix("/health/") else { return try await next(request, context) }
        let isUpload = request.headers[.contentType]?.lowercased().hasPrefix("multipart/") ?? false
        let place = AdmissionPlace(try await (isUpload ? uploads : requests).enter(context.channel.eventLoop))
        defer { place.leave() }
        // A request leaves its thread only when it waits for something. Those behind it are counted first, or nobody would be refused.
        if let threads, threads.backlog > Self.uncounted { await Task.yield() }
        var context = context
        context.place = place
        return try await next(request, context)
    }
}

/// A request's place, which it leaves while it waits for its client.
final class AdmissionPlace: Sendable {
    private let permit: Mutex<Admission.Permit>

    init(_ permit: Admission.Permit) { self.permit = Mutex(permit) }

    func leave() { permit.withLock { $0 }.giveBack() }

    /// - Throws: `Problem(.unavailable)` when there is none any more.
    func takeAgain(_ eventLoop: any EventLoop) async throws {
        let again = try await permit.withLock { $0 }.takeBack(eventLoop)
        permit.withLock { $0 = again }
    }
}
