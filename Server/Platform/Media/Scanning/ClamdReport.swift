import Core

/// The result of `ClamdScanner.probe`.
package struct ClamdReport: Sendable, Equatable, CustomStringConvertible {
    /// clamd's own text: the program and, if available, the number and date of its signatures.
    package let version: String
    /// The size in bytes of the file that was scanned completely.
    package let byteCount: Int64
    package let duration: Duration

    package var description: String {
        "\(version) scanned \(SizeText.rounded(byteCount)) to the last byte in \(duration.formatted)"
    }
}

extension Duration {
    fileprivate var formatted: String { "\((self / .milliseconds(1)).rounded() / 1_000) s" }
}
