import Blobs

/// What came back on a connection.
enum ClamdReply: Sendable, Equatable {
    /// One whole answer, without the NUL that ends it.
    case text(String)
    /// None, and there will be none.
    case none(reason: String)

    /// The verdict on a stream whose every byte clamd has taken.
    /// - Throws: `ScannerUnavailable` for whatever is not a verdict.
    var verdict: ScanVerdict {
        get throws(ScannerUnavailable) {
            switch self {
            case .none(let reason): throw ScannerUnavailable(reason)
            case .text("stream: OK"): return .clean
            case .text(let text):
                guard text.hasPrefix("stream: "), text.hasSuffix(" FOUND"), text.utf8.count > 14 else {
                    throw ScannerUnavailable("it said: \(text.prefix(200))")
                }
                return .infected(name: Self.printable(text.dropFirst(8).dropLast(6)))
            }
        }
    }

    /// Names come out of signature files, and go into answers and logs.
    private static func printable(_ name: Substring) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(100).map { 0x20..<0x7F ~= $0.value ? $0 : "?" }))
    }
}
