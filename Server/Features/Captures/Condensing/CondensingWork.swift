import Core
import Foundation
import Intelligence
import Jobs
import Synchronization
import Web

/// Limits how many summaries are computed at a time. Searching for a sentence in a long text takes a processor tens of milliseconds, and an
/// hour can have thousands of captures. Accounts take turns, and the work runs on threads that serve no request.
struct CondensingWork: Sendable {
    private let work: FairWork

    init(work: FairWork = FairWork(CondensingWork.limits(processors: ProcessInfo.processInfo.activeProcessorCount))) {
        self.work = work
    }

    /// Half of the processors stay free. More jobs can wait than run at a time.
    static func limits(processors: Int) -> FairSemaphore.Limits {
        FairSemaphore.Limits(permits: max(1, processors / 2), permitsPerKey: 1, waiting: 1_024, waitingPerKey: 64)
    }

    /// Calls `body` with all captures in their order: several short ones in one call, each long one in a call and a turn of its own.
    /// - Throws: `JobFailure.temporary` when too many jobs wait; `CancellationError`.
    func run(
        _ captures: [Condensation.Capture], of owner: String, _ body: @escaping @Sendable ([Condensation.Capture]) -> Void
    ) async throws {
        var rest = captures[...]
        while !rest.isEmpty {
            let step = Self.step(rest)
            rest = rest.dropFirst(step.count)
            let turn = try await turn(of: owner)
            defer { turn.release() }
            try await work.compute { body(step) }
        }
    }

    /// Calls `body` in a turn.
    /// - Throws: the errors of the other `run`.
    func run<Output: Sendable>(of owner: String, _ body: @escaping @Sendable () -> Output) async throws -> Output {
        let turn = try await turn(of: owner)
        defer { turn.release() }
        return try await work.compute { body() }
    }

    private func turn(of owner: String) async throws -> FairSemaphore.Permit {
        do {
            return try await work.turn(Requester(account: owner, network: nil))
        } catch let problem as Problem {
            throw JobFailure.temporary("too many summaries wait for their turn", after: problem.retryAfter ?? .zero)
        }
    }

    /// The first captures whose texts together have at most `LongWork.textByteCount` bytes; at least one.
    private static func step(_ captures: ArraySlice<Condensation.Capture>) -> [Condensation.Capture] {
        var byteCount = 0
        let fitting = captures.prefix { capture in
            byteCount += (capture.transcription?.utf8.count ?? 0) + (capture.analysis?.imageText?.utf8.count ?? 0)
            return byteCount <= LongWork.textByteCount
        }
        return Array(captures.prefix(max(1, fitting.count)))
    }
}

/// A draft that several turns change in place. With a copy for each turn, everything that the draft has counted would be copied.
final class SharedDraft: Sendable {
    private let draft: Mutex<Condensation.Draft>

    init(limit: Int) { draft = Mutex(Condensation.Draft(limit: limit)) }

    var value: Condensation.Draft { draft.withLock { $0 } }

    func count(_ captures: [Condensation.Capture]) { draft.withLock { $0.count(captures) } }

    func choose(_ captures: [Condensation.Capture]) { draft.withLock { $0.choose(captures) } }
}
