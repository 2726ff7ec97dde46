package import NIOCore

/// Scans files for viruses.
package protocol UploadScanner: Sendable {
    /// Starts a scan of one complete file. It uses no resources before `prepare` or its first bytes.
    func scan() -> any ScanStream

    /// Starts a scan of one file whose bytes still arrive. `finish` may throw `ScanPostponed`.
    func scanWhileArriving() -> any ScanStream
}

/// The scanner has given up the scan of a file that was still arriving, because it reserves its resources for complete files. Once the file
/// is complete, it must be scanned again from its first byte.
package struct ScanPostponed: Error, Sendable {
    package init() {}
}

/// The scan of one file, which gets its bytes in order. Only one task at a time may call it. The caller must end it with `finish` or
/// `abort`.
package protocol ScanStream: AnyObject, Sendable {
    /// Waits until the scanner can take the file. Call it before reading a complete file, so that a file that waits takes no memory.
    /// - Throws: `ScannerUnavailable`.
    func prepare() async throws

    /// Returns when the scanner has caught up: only a small, fixed number of bytes waits to be sent.
    /// - Throws: `ScannerUnavailable`.
    func append(_ bytes: ByteBuffer) async throws

    /// - Returns: the scanner's verdict after it has received all bytes.
    /// - Throws: `ScannerUnavailable` for anything but an explicit verdict; `ScanPostponed` after `scanWhileArriving`.
    func finish() async throws -> ScanVerdict

    /// Ends the scan. A pending `append` or `finish` throws. Safe to call at any time and repeatedly.
    func abort() async
}

package enum ScanVerdict: Sendable, Equatable {
    case clean
    /// - Parameter name: the scanner's name for the virus.
    case infected(name: String)
}

/// There is no verdict: the scanner is not reachable, stalled, disconnected, or sent an unknown reply. The file must not be kept.
package struct ScannerUnavailable: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the log and `keepsake doctor`; not for the client.
    package let reason: String

    package init(_ reason: String) { self.reason = reason }

    package var description: String { "the virus scanner is not available: \(reason)" }
}
