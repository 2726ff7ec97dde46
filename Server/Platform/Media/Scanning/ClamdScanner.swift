package import Blobs
import Core
package import Logging
package import NIOCore
import NIOPosix

/// Scans uploads with a clamd while they arrive, with one connection for each file (clamd's command INSTREAM).
///
/// clamd closes a connection that is silent for its ReadTimeout (default 120 s). A client that sends nothing for that long in the middle of
/// a file gets 503.
package struct ClamdScanner: UploadScanner {
    package let address: ClamdAddress
    let limits: ClamdLimits
    let group: any EventLoopGroup
    let connections: FairSemaphore
    let logger: Logger

    /// - Parameter group: belongs to the caller; default: the process's shared group.
    package init(
        _ address: ClamdAddress, limits: ClamdLimits = ClamdLimits(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger
    ) {
        self.address = address
        self.limits = limits
        self.group = group
        self.logger = logger
        connections = FairSemaphore(
            .init(
                permits: limits.connections, permitsPerKey: limits.connections, waiting: limits.waiting, waitingPerKey: limits.waiting))
    }

    package func scan() -> any ScanStream { ClamdScan(self) }

    /// Waits for a free connection, opens it, and sends the command. The caller closes the connection.
    /// - Throws: `ScannerUnavailable`, also when no connection became free within `limits.turn`, or too many scans wait for one.
    func connect(_ command: String) async throws -> ClamdConnection {
        let permit = try? await connections.acquire(for: Requester.current, within: limits.turn)
        guard let permit else { throw ScannerUnavailable("all its connections are in use") }
        let connection = try await ClamdConnection.open(address, on: group, within: limits.progress, permit)
        connection.say(command)
        return connection
    }
}
