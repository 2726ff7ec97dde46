/// What `ClamdScanner.probe` found.
package struct ClamdReport: Sendable, Equatable, CustomStringConvertible {
    /// As clamd says it: program, and where there is one, number and date of its signatures.
    package let version: String
    /// The size of the file that was scanned to its end.
    package let byteCount: Int64
    package let duration: Duration

    package var description: String {
        "\(version) scanned \(byteCount / 1_048_576) MB to the last byte in \(duration.formatted)"
    }
}

extension Duration {
    fileprivate var formatted: String { "\((self / .milliseconds(1)).rounded() / 1_000) s" }
}
