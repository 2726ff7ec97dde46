/// The `Range` header (RFC 9110 §14), for one range of bytes.
package enum ByteRange: Equatable, Sendable {
    /// The whole file: no range, several ranges, another unit or a malformed header (§14.2 lets a server ignore these).
    case whole
    case part(Range<Int64>)
    /// No byte of the file lies in the range, so the response is 416.
    case unsatisfiable

    package static func parse(_ header: String?, byteCount: Int64) -> ByteRange {
        guard let header, let equals = header.firstIndex(of: "=") else { return .whole }
        guard header[..<equals].lowercased() == "bytes" else { return .whole }
        let specification = header[header.index(after: equals)...]
        guard !specification.contains(",") else { return .whole }
        let ends = specification.trimmed.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return .whole }
        switch (first, last) {
        case (.none, .none): return .whole
        case (.none, .some(let suffix)):
            guard suffix > 0, byteCount > 0 else { return .unsatisfiable }
            return .part(max(0, byteCount - suffix)..<byteCount)
        case (.some(let start), let end):
            if let end, end < start { return .whole }
            guard start < byteCount else { return .unsatisfiable }
            return .part(start..<min(byteCount, (end ?? byteCount) == .max ? byteCount : (end ?? byteCount - 1) + 1))
        }
    }

    /// - Returns: `.some(nil)` for an empty text, `nil` for anything but digits. A number beyond Int64 becomes `Int64.max`.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
        return .some(Int64(text) ?? .max)
    }
}

extension Substring {
    var trimmed: Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
