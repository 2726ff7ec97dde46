import Core

/// The steps in which a search computes: between two of them, other work runs on the processor, and a cancelled search ends.
enum SearchSteps {
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
    ///   - byteCount: the length of a document's text.
    ///   - body: processes the documents of one step, and adds the result to the output.
    /// - Throws: what `body` throws; `CancellationError`, which it checks for before each step.
    func compute<Document: Sendable, Output: Sendable>(
        _ first: Output, inStepsOf documents: [Document], byteCount: (Document) -> Int,
        _ body: @escaping @Sendable (inout Output, ArraySlice<Document>) throws -> Void
    ) async throws -> Output {
        var output = first
        for step in SearchSteps.split(documents, byteCount: byteCount) {
            try Task.checkCancellation()
            output = try await compute { [output] in
                var next = output
                try body(&next, step)
                return next
            }
        }
        return output
    }
}
