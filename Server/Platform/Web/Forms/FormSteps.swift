import NIOCore

/// Turns a form's bytes into steps for an upload session. It is a value without I/O. So an upload can store it and later continue to parse
/// at the same byte, even inside a delimiter.
struct FormSteps: Codable, Sendable {
    enum Step {
        case begin(PartHeaders)
        case append(ByteBuffer)
        case end
    }

    private var parser: MultipartParser

    init(boundary: String) { parser = MultipartParser(boundary: boundary) }

    /// - Throws: `MultipartError`.
    mutating func steps(in chunk: ByteBuffer) throws -> [Step] {
        var steps: [Step] = []
        // Bytes that looked like the start of a delimiter but turned out to be data.
        var withheld: ByteBuffer?
        try chunk.withUnsafeReadableBytes { bytes in
            let delimiter = parser.delimiter
            try parser.receive(bytes) { event in
                switch event {
                case .partBegan(let headers): steps.append(.begin(headers))
                case .data(.input(let range)):
                    steps.append(.append(chunk.getSlice(at: chunk.readerIndex + range.lowerBound, length: range.count)!))
                case .data(.withheld(let range)):
                    let buffer = withheld ?? ByteBuffer(bytes: delimiter)
                    withheld = buffer
                    steps.append(.append(buffer.getSlice(at: range.lowerBound, length: range.count)!))
                case .partEnded: steps.append(.end)
                case .finished: break
                }
            }
        }
        return steps
    }

    /// - Throws: `MultipartError` when the form is incomplete.
    mutating func finish() throws { try parser.finish() }
}
