import Core
import Synchronization

/// The steps in which a search computes. A cancelled search ends after a step. Several steps run one after the other; then other work may
/// use the thread.
enum SearchSteps {
    /// How long a search computes before it waits for a thread again. Pages of most searches take less. If such a search waited after each
    /// step, it could wait for a long computation of another kind each time.
    static let partTime: Duration = .milliseconds(50)
    /// Most documents of a step.
    static let documentCount = 256
    /// Most bytes of text in a step; a longer document is a step of its own.
    static let byteCount = 65_536

    static func split<Document>(_ documents: [Document], byteCount: (Document) -> Int) -> [ArraySlice<Document>] {
        var steps: [ArraySlice<Document>] = []
        var start = 0
        var total = 0
        for (index, document) in documents.enumerated() {
            let length = byteCount(document)
            if index > start, index - start >= documentCount || total + length > Self.byteCount {
                steps.append(documents[start..<index])
                start = index
                total = 0
            }
            total += length
        }
        if start < documents.count { steps.append(documents[start...]) }
        return steps
    }
}

extension FairWork {
    /// Computes in steps. The caller must hold a turn, and keeps it between the steps: if it waited for another turn in between, the texts
    /// that it has read would stay in memory meanwhile.
    /// - Parameters:
    ///   - first: the output before the first step.
    ///   - hasBegun: whether the search has computed something before.
    ///   - byteCount: the length of a document's text.
    ///   - partTime: after this time, the search waits for a thread again before its next step.
    ///   - body: processes the documents of one step, and adds the result to the output.
    /// - Throws: what `body` throws; `CancellationError`, which it checks for before each step.
    func compute<Document: Sendable, Output: Sendable>(
        _ first: Output, inStepsOf documents: [Document], hasBegun: Bool = false, byteCount: (Document) -> Int,
        partTime: Duration = SearchSteps.partTime, _ body: @escaping @Sendable (inout Output, ArraySlice<Document>) throws -> Void
    ) async throws -> Output {
        let steps = SearchSteps.split(documents, byteCount: byteCount)
        let cancellation = SearchCancellation()
        var output = first
        var doneCount = 0
        while doneCount < steps.count {
            try Task.checkCancellation()
            let (earlier, start) = (output, doneCount)
            let part: @Sendable () throws -> (output: Output, doneCount: Int) = {
                let end = ContinuousClock.now + partTime
                var (output, doneCount) = (earlier, start)
                repeat {
                    try body(&output, steps[doneCount])
                    doneCount += 1
                } while doneCount < steps.count && ContinuousClock.now < end && !cancellation.isRequested
                return (output, doneCount)
            }
            let computed = try await withTaskCancellationHandler {
                try await compute(hasBegun: hasBegun || start > 0, part)
            } onCancel: {
                cancellation.request()
            }
            (output, doneCount) = (computed.output, computed.doneCount)
        }
        return output
    }
}

/// Tells the thread that computes for a search that the search was cancelled: the thread does not belong to the search's task.
private final class SearchCancellation: Sendable {
    private let wasRequested = Atomic(false)

    var isRequested: Bool { wasRequested.load(ordering: .relaxed) }

    func request() { wasRequested.store(true, ordering: .relaxed) }
}
