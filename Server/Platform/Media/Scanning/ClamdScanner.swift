package import Blobs
package import Logging
package import NIOCore
import NIOPosix

/// Scans with a clamd, one connection a file, while the bytes arrive (its command INSTREAM).
///
/// clamd ends a connection on which nothing came for its ReadTimeout (120 s unless set): a client that is silent for that long, in the
/// middle of a file, gets its 503.
package struct ClamdScanner: UploadScanner {
    package let address: ClamdAddress
    let limits: ClamdLimits
    let group: any EventLoopGroup
    let turns: ScanTurns
    let logger: Logger

    /// - Parameter group: owned by the caller; the process's own by default.
    package init(
        _ address: ClamdAddress, limits: ClamdLimits = ClamdLimits(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, logger: Logger
    ) {
        self.address = address
        self.limits = limits
        self.group = group
        self.logger = logger
        turns = ScanTurns(count: limits.connections, waiting: limits.waiting)
    }

    package func scan() -> any ScanStream { ClamdScan(self) }

    /// Takes a turn, connects, and says the command. Whoever calls it closes.
    func connect(_ command: String) async throws -> ClamdConnection {
        try await turns.take(within: limits.turn, on: group.any())
        do {
            let connection = try await ClamdConnection.open(address, on: group, within: limits.progress)
            connection.say(command)
            return connection
        } catch {
            turns.giveBack()
            throw error
        }
    }

    func close(_ connection: ClamdConnection) {
        connection.close()
        turns.giveBack()
    }
}
