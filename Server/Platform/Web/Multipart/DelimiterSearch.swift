import CPlatform

/// Finds the next delimiter, CR LF "--" boundary, in bytes that arrive in chunks.
///
/// The delimiter contains CR only as its first byte and LF only as its second. So a failed candidate cannot hide the start of another one,
/// and the number of matched bytes is enough state.
struct DelimiterSearch: Codable, Sendable {
    let delimiter: [UInt8]
    /// The input so far ends with `delimiter[..<matched]`.
    private var matched = 2
    /// `delimiter[start..<matched]` is withheld from the consumer. `start` is 0 normally; 1 when the LF came without a CR; 2 when the CR LF
    /// is not data (the line end of the headers, or the imaginary one before the body).
    private var start = 2

    init(boundary: String) { delimiter = Array("\r\n--\(boundary)".utf8) }

    var withheld: Range<Int> { start..<matched }

    /// Call it where the next byte begins a line: a delimiter there needs no CR LF of its own. RFC 2046 §5.1.1 says so for the first
    /// delimiter of the body, and for that of a part with headers only, `[CRLF *OCTET]`.
    mutating func restart() {
        start = 2
        matched = 2
    }

    /// Reads data until the delimiter is complete (returns true; `position` is after it) or the chunk ends (returns false).
    ///
    /// - Throws: `.bareLineFeed` for a delimiter after an LF without CR. The grammar treats it as data. But only a client with wrong line
    ///   ends sends it, and some servers end the part there. If the server stored it as data, it could store two parts as one file.
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

    /// Continues the candidate of an earlier chunk. Returns true when it is complete, false when the chunk ended first, nil when it is
    /// data.
    private mutating func resume(_ chunk: UnsafeRawBufferPointer, _ position: inout Int) throws -> Bool? {
        let count = min(delimiter.count - matched, chunk.count - position)
        for i in 0..<count where chunk[position + i] != delimiter[matched + i] { return nil }
        position += count
        matched += count
        guard matched == delimiter.count else { return false }
        guard start != 1 else { throw MultipartError.bareLineFeed }
        return true
    }

    /// The index of the delimiter's LF. The search omits the CR, so that it also finds an LF without CR.
    private func find(in chunk: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard let base = chunk.baseAddress else { return nil }
        return delimiter.withUnsafeBytes { delimiter -> Int? in
            guard let needle = delimiter.baseAddress else { return nil }
            return keepsake_find(base + position, chunk.count - position, needle + 1, delimiter.count - 1).map { $0 - base }
        }
    }

    /// Remembers a candidate at the end of the chunk, if there is one.
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
