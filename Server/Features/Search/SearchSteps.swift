import Core

/// Divides the work of a search into steps. A cancelled search ends after a step. Several steps run one after the other before other work
/// may use the thread.
enum SearchSteps {
    /// The most documents of a step.
    static let documentCount = 256
    /// The most bytes of text in a step. A longer document is a step of its own.
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
    /// Processes documents in steps. The caller must hold a turn, and keeps it between the steps.
    /// - Parameters:
    ///   - first: the initial output.
    ///   - hasBegun: whether the search has already computed something.
    ///   - byteCount: the length of a document's text.
    ///   - partTime: after this time, the search waits for a thread again before its next step.
    ///   - body: processes the documents of one step, and adds the result to the output.
    /// - Throws: the errors of `body`; `CancellationError`, which it checks for before each step.
    func compute<Document: Sendable, Output: Sendable>(
        _ first: Output, inStepsOf documents: [Document], hasBegun: Bool = false, byteCount: (Document) -> Int,
        partTime: Duration = FairWork.partTime, _ body: @escaping @Sendable (inout Output, ArraySlice<Document>) throws -> Void
    ) async throws -> Output {
        let steps = SearchSteps.split(documents, byteCount: byteCount)
        guard !steps.isEmpty else { return first }
        let computed = try await compute(from: (output: first, doneCount: 0), hasBegun: hasBegun, partTime: partTime) { state in
            let step = steps[state.doneCount]
            try body(&state.output, step)
            state.doneCount += 1
            return state.doneCount < steps.count
        }
        return computed.output
    }
}
