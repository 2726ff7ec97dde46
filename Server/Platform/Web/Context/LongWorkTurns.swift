import Core

/// The turns of a response that has begun and is made in pieces.
struct LongWorkTurns: Sendable {
    /// How long a response waits before it asks again for a turn that was refused.
    private static let pause: Duration = .milliseconds(200)

    private let work: LongWork?
    private let requester: Requester

    init(_ context: WebContext) {
        work = context.longWork
        requester = context.requester
    }

    /// Runs `body` in a turn of the requester. If too many requests wait, the turn is refused, but a response that has begun must continue.
    /// So this method asks again.
    /// - Throws: the errors of `body`; `CancellationError`.
    func run<T>(_ body: () async throws -> T) async throws -> T {
        let turn = try await next()
        defer { turn?.release() }
        return try await body()
    }

    private func next() async throws -> FairSemaphore.Permit? {
        guard let work else { return nil }
        while true {
            do {
                return try await work.turn(requester)
            } catch is Problem {
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}
