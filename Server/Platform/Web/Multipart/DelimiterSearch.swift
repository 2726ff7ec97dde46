import CPlatform

/// Finds the next delimiter, CR LF "--" boundary, in bytes that come in pieces.
///
/// Its bytes hold no CR but the first and no LF but the second, so a candidate that fails cannot hide the start of another:
/// one count of matched bytes is all there is to remember.
struct DelimiterSearch: Codable, Sendable {
    let delimiter: [UInt8]
    /// `delimiter[..<matched]` is what the input so far ends with…
    private var matched = 2
    /// …and of that, `delimiter[start...]` is held back from the consumer: from 0 normally, from 1 when the LF came without a CR,
    /// from 2 when the CR LF was no data (the line end of the headers, or the imaginary one before the body).
    private var start = 2

    init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

    var withheld: Range<Int> { start..<matched }

    /// The first bytes to come stand at the beginning of a line: a delimiter there needs no CR LF of its own. RFC 2046 §5.1.1 says so
    /// of the body's first, and of a part's with nothing but headers, `[CRLF *OCTET]`.
    mutating func restart() {
        start = 2
        matched = 2
    }

    /// Passes over data until the delimiter is complete (true; `position` is behind it) or the chunk ends (false).
    ///
    /// - Throws: `.bareLineFeed` for a delimiter after an LF without CR. The grammar calls it data; but only a client that writes
    ///   its lines wrong sends that, some servers split there, and a part with the next one swallowed must not be stored.
    mutating func advance(
        through chunk: UnsafeRawBufferPointer, _ position: inout Int, data: (MultipartParser.Slice) throws -> Void
    ) throws -> Bool {
        if matched > 0 {
            if let isComplete = try resume(chunk, &position) { return isComplete }
            let released = withheld
            start = 0
            matched = 0
            if !released.isEmpty { try data(.withheld(released)) }
        }
        let from = position
        if let lineFeed = find(in: chunk, from: position) {
            let isWhole = lineFeed > from && chunk[lineFeed - 1] == UInt8(ascii: "\r")
            let end = isWhole ? lineFeed - 1 : lineFeed
            if end > from { try data(.input(from..<end)) }
            guard isWhole else { throw MultipartError.bareLineFeed }
            position = lineFeed + delimiter.count - 1
            return true
        }
        holdBack(chunk, from: from)
        position = chunk.count
        let end = chunk.count - withheld.count
        if end > from { try data(.input(from..<end)) }
        return false
    }

    /// Whether the candidate of an earlier chunk goes on: true completed, false still open at the chunk's end, nil it was data.
    private mutating func resume(_ chunk: UnsafeRawBufferPointer, _ position: inout Int) throws -> Bool? {
        let count = min(delimiter.count - matched, chunk.count - position)
        for i in 0..<count where chunk[position + i] != delimiter[matched + i] { return nil }
        position += count
        matched += count
        guard matched == delimiter.count else { return false }
        guard start != 1 else { throw MultipartError.bareLineFeed }
        return true
    }

    /// Where the delimiter's LF stands: the CR is left out of the search, so that an LF without it is found too.
    private func find(in chunk: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard let base = chunk.baseAddress else { return nil }
        return delimiter.withUnsafeBytes { delimiter -> Int? in
            guard let needle = delimiter.baseAddress else { return nil }
            return keepsake_find(base + position, chunk.count - position, needle + 1, delimiter.count - 1).map { $0 - base }
        }
    }

    /// Remembers the candidate the chunk ends in, if any.
    private mutating func holdBack(_ chunk: UnsafeRawBufferPointer, from position: Int) {
        if chunk[chunk.count - 1] == UInt8(ascii: "\r") {
            matched = 1
            return
        }
        let earliest = max(position, chunk.count - (delimiter.count - 2))
        guard let lineFeed = chunk[earliest...].lastIndex(of: UInt8(ascii: "\n")) else { return }
        let length = chunk.count - lineFeed
        for i in 0..<length where chunk[lineFeed + i] != delimiter[1 + i] { return }
        start = lineFeed > position && chunk[lineFeed - 1] == UInt8(ascii: "\r") ? 0 : 1
        matched = length + 1
    }
}
