import Core
import Synchronization

/// Limits the captures of one socket whose replies are not in its send queue yet: to `alone`, and to more while a budget that all sockets
/// share has room. At the limit, the server reads nothing more from the socket. So a client that does not read its replies delays only its
/// own socket. From a client that reads them, the server accepts further captures before it has replied to the earlier ones.
///
/// One task calls `enter`, another one `leave`.
final class ReplyWindow: Sendable {
    /// The number of captures that need no share of the budget. Their replies take about 10 KB.
    static let alone = 32
    /// The limits of the budget for captures beyond `alone`, over all sockets. An account gets as many as it can have in work at a time
    /// (`CaptureInbox.small`).
    static let ahead = SharedBudget.Limits(total: 8_192, perAccount: 512, perNetwork: 2_048, reserve: 2_048, small: 512)

    private struct State {
        var count = 0
        var isWaiting = false
    }

    private let state = Mutex(State())
    /// The share for the captures by which `count` exceeds `alone`.
    private let share: SharedBudget.Share
    private let freed: AsyncStream<Void>
    private let free: AsyncStream<Void>.Continuation

    /// - Parameter share: an empty share of the budget.
    init(_ share: SharedBudget.Share) {
        self.share = share
        (freed, free) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    var count: Int { state.withLock { $0.count } }

    /// Waits until there is room for one more capture.
    /// - Throws: `CancellationError`.
    func enter() async throws {
        while !take() {
            var iterator = freed.makeAsyncIterator()
            // A socket without room has unsent replies, so this continues when one of them is sent. If the socket ends first, its end
            // cancels the task.
            guard await iterator.next() != nil else { throw CancellationError() }
        }
    }

    /// Call it when a reply is in the send queue.
    func leave() {
        let wasWaiting = state.withLock { state in
            if state.count > Self.alone { share.shrink(by: 1) }
            state.count -= 1
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wasWaiting { free.yield() }
    }

    private func take() -> Bool {
        state.withLock { state in
            if state.count >= Self.alone, (try? share.grow(by: 1)) == nil {
                state.isWaiting = true
                return false
            }
            state.count += 1
            return true
        }
    }
}
