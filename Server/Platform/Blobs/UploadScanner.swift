package import NIOCore

/// Looks for viruses in files while their bytes arrive.
package protocol UploadScanner: Sendable {
    /// A scan of one file. Costs nothing until bytes come.
    func scan() -> any ScanStream
}

/// Takes one file's bytes, in order, from one task at a time. Whoever began one finishes or aborts it.
package protocol ScanStream: AnyObject, Sendable {
    /// Answers as soon as the scanner has caught up: only a small, fixed number of bytes waits to be sent.
    /// - Throws: `ScannerUnavailable`.
    func append(_ bytes: ByteBuffer) async throws

    /// - Returns: what the scanner said after it had seen every byte.
    /// - Throws: `ScannerUnavailable` for anything but an explicit verdict.
    func finish() async throws -> ScanVerdict

    /// Lets go of the scanner; whoever waits in `append` or `finish` is thrown out. Safe to call at any time, and twice.
    func abort() async
}

package enum ScanVerdict: Sendable, Equatable {
    case clean
    /// - Parameter name: of what was found, as the scanner calls it.
    case infected(name: String)
}

/// There is no verdict: the scanner is away, stalled, cut us off, or said what nobody understands. Never a reason to keep a file.
package struct ScannerUnavailable: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the log and for `keepsake doctor`; not for the client.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { "the virus scanner is not available: \(reason)" }
}
