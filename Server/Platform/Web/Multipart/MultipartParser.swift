/// Parses a multipart/form-data body as it arrives (RFC 7578, RFC 2046 §5.1).
///
/// A value without I/O: bytes go in, events come out. Events refer to a part's data by position; the parser never copies it. Between chunks
/// it keeps one incomplete header line, the content of that part's earlier lines (`Limits.headerBytes`) and a few counters. It keeps the
/// start of a possible delimiter as a count. So its encoded form is small, and a decoded parser continues exactly where the encoded one
/// stopped.
///
/// Refuses what two parsers could read differently. `MultipartError` lists the reasons.
package struct MultipartParser: Codable, Sendable {
    package enum Event: Equatable, Sendable {
        case partBegan(PartHeaders)
        /// A slice of the part's data, never empty. A part's data is all of its slices in order.
        case data(Slice)
        /// The part ended with a complete and valid delimiter.
        case partEnded
        /// The parser read the closing delimiter. The body is valid only when `finish()` returns without an error.
        case finished
    }

    /// The position of some data, so that the parser does not copy it.
    package enum Slice: Equatable, Sendable {
        /// Offsets in the chunk that was just received.
        case input(Range<Int>)
        /// Offsets in `delimiter`: data of earlier chunks that the parser withheld because it could have been the start of a delimiter.
        /// Usually starts at 0; starts at 2 where the line end before it belongs to the headers.
        case withheld(Range<Int>)
    }

    package let limits: Limits
    var state: State = .preamble
    var search: DelimiterSearch
    var delimiterLine = DelimiterLine()
    var headers = PartHeaderReader()
    var parts = 0

    enum State: String, Codable {
        case preamble
        case data
        /// After `--boundary`, before the parser knows whether a part follows.
        case delimiter
        case headers
        /// After `--boundary--`, before the end of its line.
        case closing
        case epilogue
        case spent
    }

    /// - Parameter boundary: a result of `MultipartBoundary.parse`.
    package init(boundary: String, limits: Limits = Limits()) {
        precondition(MultipartBoundary.isValid(boundary, limit: limits.boundaryBytes), "the boundary must have been validated")
        self.limits = limits
        self.search = DelimiterSearch(boundary: boundary)
    }

    /// CR, LF, two dashes and the boundary: the bytes to which `Slice.withheld` refers. Constant. Copy it before `receive`, which has
    /// exclusive access to the parser while it calls `emit`.
    package var delimiter: [UInt8] { search.delimiter }

    /// Bytes received that the parser has reported neither as data nor as part of a delimiter; less than `delimiter.count`.
    package var withheldByteCount: Int { state == .data ? search.withheld.count : 0 }

    /// Reads the next bytes of the body; any number. The chunking of a body changes only how its data is sliced, not the events.
    ///
    /// - Throws: `MultipartError`, or what `emit` threw. Afterwards the parser refuses all further input.
    package mutating func receive(_ chunk: UnsafeRawBufferPointer, _ emit: (Event) throws -> Void) throws {
        do {
            var position = 0
            while position < chunk.count {
                switch state {
                case .preamble: try receivePreamble(chunk, &position)
                case .data: try receiveData(chunk, &position, emit)
                case .delimiter, .closing: try receiveDelimiterLine(chunk[position], &position, emit)
                case .headers: try receiveHeaders(chunk, &position, emit)
                case .epilogue: return
                case .spent: throw MultipartError.spent
                }
            }
        } catch {
            state = .spent
            throw error
        }
    }

    /// Call it at the end of the body.
    ///
    /// - Throws: `.missingTerminator` when the body is incomplete; `.malformedDelimiter` when it ends in CR instead of CR LF.
    package mutating func finish() throws {
        let ending = state
        state = .spent
        switch ending {
        // The line end after the last delimiter belongs to the optional epilogue, so it may be absent.
        case .closing where delimiterLine.sawReturn: throw MultipartError.malformedDelimiter
        case .closing, .epilogue: state = .epilogue
        case .spent: throw MultipartError.spent
        case .preamble, .data, .delimiter, .headers: throw MultipartError.missingTerminator
        }
    }
}

// MARK: - Transitions

extension MultipartParser {
    private mutating func receivePreamble(_ chunk: UnsafeRawBufferPointer, _ position: inout Int) throws {
        if try search.advance(through: chunk, &position, data: { _ in }) { beginDelimiterLine() }
    }

    private mutating func receiveData(_ chunk: UnsafeRawBufferPointer, _ position: inout Int, _ emit: (Event) throws -> Void) throws {
        if try search.advance(through: chunk, &position, data: { try emit(.data($0)) }) { beginDelimiterLine() }
    }

    private mutating func beginDelimiterLine() {
        state = .delimiter
        delimiterLine = DelimiterLine()
    }

    private mutating func receiveDelimiterLine(_ byte: UInt8, _ position: inout Int, _ emit: (Event) throws -> Void) throws {
        let outcome = try delimiterLine.receive(byte, isClosing: state == .closing, paddingLimit: limits.paddingBytes)
        position += 1
        switch outcome {
        case .undecided: return
        case .closes:
            state = .closing
            delimiterLine = DelimiterLine()
            if parts > 0 { try emit(.partEnded) }
            try emit(.finished)
        case .ends where state == .closing:
            state = .epilogue
        case .ends:
            if parts > 0 { try emit(.partEnded) }
            guard parts < limits.parts else { throw MultipartError.tooManyParts(limit: limits.parts) }
            parts += 1
            state = .headers
        }
    }

    private mutating func receiveHeaders(_ chunk: UnsafeRawBufferPointer, _ position: inout Int, _ emit: (Event) throws -> Void) throws {
        guard let complete = try headers.receive(chunk, &position, limit: limits.headerBytes) else { return }
        state = .data
        // The new reader is for the next part. It also keeps the encoded form of this parser small until then.
        headers = PartHeaderReader()
        search.restart()
        try emit(.partBegan(complete))
    }
}
