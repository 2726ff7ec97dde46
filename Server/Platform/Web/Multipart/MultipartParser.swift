/// Takes a multipart/form-data body apart as it arrives (RFC 7578, RFC 2046 §5.1).
///
/// A value without I/O: bytes go in, events come out, and the data of a part is named by its place, never copied.
/// Between chunks it keeps one unfinished header line and what that part's earlier lines said (`Limits.headerBytes`), and a few
/// counters; the start of a possible delimiter is kept as a count. So its coded form is small, and one decoded from storage
/// goes on exactly where the coded one stood.
///
/// Refuses what two parsers could read differently. See `MultipartError` for each reason.
package struct MultipartParser: Codable, Sendable {
    package enum Event: Equatable, Sendable {
        case partBegan(PartHeaders)
        /// Never empty. A part's data is its slices in order, however many.
        case data(Slice)
        /// The delimiter after the part was whole and legal.
        case partEnded
        /// The closing delimiter was seen. The body is good only when `finish()` returns.
        case finished
    }

    /// Zero copy: bytes are named, not copied.
    package enum Slice: Equatable, Sendable {
        /// Offsets in the chunk just received.
        case input(Range<Int>)
        /// Offsets in `delimiter`: bytes of earlier chunks, held back because they might have begun a delimiter, which proved to be
        /// data. Usually from 0, but from 2 where the line end before them belongs to the headers.
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
        /// Between `--boundary` and what tells whether a part follows.
        case delimiter
        case headers
        /// Between `--boundary--` and the end of its line.
        case closing
        case epilogue
        case spent
    }

    /// - Parameter boundary: as `MultipartBoundary.parse` returned it.
    package init(boundary: String, limits: Limits = Limits()) {
        precondition(MultipartBoundary.isValid(boundary, limit: limits.boundaryBytes), "the boundary must have been validated")
        self.limits = limits
        self.search = DelimiterSearch(boundary: boundary)
    }

    /// CR, LF, two dashes and the boundary: what `Slice.withheld` points into. Constant; copy it before `receive`, which holds the
    /// parser while it emits.
    package var delimiter: [UInt8] { search.delimiter }

    /// Bytes received and not yet told as data nor as part of a delimiter; less than `delimiter.count`.
    package var withheldByteCount: Int { state == .data ? search.withheld.count : 0 }

    /// Reads the next bytes of the body, of any number. The same body gives the same events in whatever chunks it comes, apart from
    /// how its data is sliced.
    ///
    /// - Throws: `MultipartError`, or what `emit` threw. The parser is spent then: it refuses everything after.
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

    /// The body ended.
    ///
    /// - Throws: `.missingTerminator` when it was cut short; `.malformedDelimiter` when it ends in CR where CR LF belongs.
    package mutating func finish() throws {
        let ending = state
        state = .spent
        switch ending {
        // The line end after the last delimiter belongs to the epilogue and may be absent with it.
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
        // For the next part, and to keep the coded form small meanwhile.
        headers = PartHeaderReader()
        search.restart()
        try emit(.partBegan(complete))
    }
}
