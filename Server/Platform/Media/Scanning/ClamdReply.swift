import Blobs

/// The reply on a connection.
enum ClamdReply: Sendable, Equatable {
    /// One complete reply, without the NUL that ends it.
    case text(String)
    /// No reply arrived, and none will.
    case none(reason: String)

    /// The verdict on a stream that clamd has received completely.
    /// - Throws: `ScannerUnavailable` for any reply that is not a verdict.
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

    /// Names come from signature files and end up in responses and logs, so only printable ASCII remains.
    private static func printable(_ name: Substring) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(100).map { 0x20..<0x7F ~= $0.value ? $0 : "?" }))
    }
}
