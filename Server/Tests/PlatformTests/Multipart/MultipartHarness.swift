import Testing
import Web

/// The events of a parse, with the slices of each part joined, so that the record does not depend on the cuts.
struct MultipartRecord: Equatable, CustomStringConvertible {
    enum Entry: Equatable {
        case began(PartHeaders)
        case data([UInt8])
        case ended
        case finished
    }

    var entries: [Entry] = []
    var refusal: MultipartError?

    /// Headers and data of the completed parts.
    var parts: [(headers: PartHeaders, data: [UInt8])] {
        var parts: [(headers: PartHeaders, data: [UInt8])] = []
        var open: (headers: PartHeaders, data: [UInt8])?
        for entry in entries {
            switch entry {
            case .began(let headers): open = (headers, [])
            case .data(let bytes): open?.data += bytes
            case .ended: if let part = open { parts.append(part) }
            case .finished: break
            }
        }
        return parts
    }

    mutating func append(_ bytes: some Sequence<UInt8>) {
        if case .data(let before) = entries.last {
            entries[entries.count - 1] = .data(before + bytes)
        } else {
            entries.append(.data(Array(bytes)))
        }
    }

    var description: String {
        entries.map { entry in
            switch entry {
            case .began(let headers): "began(\(headers))"
            case .data(let bytes): "data(\(String(decoding: bytes, as: UTF8.self).debugDescription))"
            case .ended: "ended"
            case .finished: "finished"
            }
        }.joined(separator: " ") + (refusal.map { " refused: \($0)" } ?? "")
    }
}

/// Feeds `body`, cut at `cuts` (ascending offsets), to a parser, and checks the bounds of every slice.
///
/// - Parameter between: runs after each chunk, to inspect or replace the parser.
func parseMultipart(
    _ body: [UInt8], boundary: String, limits: MultipartParser.Limits = .init(), cuts: [Int] = [],
    between: (inout MultipartParser) -> Void = { _ in }
) -> MultipartRecord {
    var parser = MultipartParser(boundary: boundary, limits: limits)
    let delimiter = parser.delimiter
    var record = MultipartRecord()
    var from = 0
    for to in cuts + [body.count] {
        // Each chunk is copied, so that the allocator can detect a read out of bounds.
        let chunk = Array(body[from..<to])
        from = to
        let heldBefore = parser.withheldByteCount
        var released = 0
        var passed = 0
        do {
            try chunk.withUnsafeBytes { chunk in
                try parser.receive(chunk) { event in
                    switch event {
                    case .partBegan(let headers): record.entries.append(.began(headers))
                    case .data(.input(let range)):
                        #expect(range.lowerBound >= passed && range.upperBound <= chunk.count && !range.isEmpty)
                        passed = range.upperBound
                        record.append(chunk[range])
                    case .data(.withheld(let range)):
                        #expect(range.upperBound < delimiter.count && !range.isEmpty && passed == 0)
                        released += range.count
                        record.append(delimiter[range])
                    case .partEnded: record.entries.append(.ended)
                    case .finished: record.entries.append(.finished)
                    }
                }
            }
        } catch {
            record.refusal = error as? MultipartError
            #expect(record.refusal != nil)
            return record
        }
        #expect(released == 0 || released == heldBefore)
        #expect(parser.withheldByteCount < delimiter.count)
        between(&parser)
    }
    do {
        try parser.finish()
    } catch {
        record.refusal = error as? MultipartError
        #expect(record.refusal != nil)
    }
    return record
}

/// The error with which the body is refused, or nil. Parses the body as a whole and byte by byte; both must agree.
func multipartRefusal(_ body: [UInt8], boundary: String = "b", limits: MultipartParser.Limits = .init()) -> MultipartError? {
    let whole = parseMultipart(body, boundary: boundary, limits: limits)
    let crumbs = parseMultipart(body, boundary: boundary, limits: limits, cuts: Array(0..<body.count))
    #expect(whole == crumbs)
    return whole.refusal
}

/// A body with boundary `b` and one part with the given header lines.
func onePart(_ headerLines: String..., data: String = "x") -> [UInt8] {
    Array(("--b\r\n" + headerLines.map { $0 + "\r\n" }.joined() + "\r\n" + data + "\r\n--b--\r\n").utf8)
}

/// One byte for each scalar; no scalar may exceed U+00FF.
func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
