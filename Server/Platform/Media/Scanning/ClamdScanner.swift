package import Blobs
import Core
package import Logging
package import NIOCore
import NIOPosix

/// Scans uploads with a clamd, with one connection for each file (clamd's command INSTREAM).
///
/// A file is scanned while it arrives if a connection is free at once and its client is not slow. Such files use at most half of the
/// connections, because their clients decide how long they take. Other files are scanned when they are complete.
///
/// clamd begins to scan a file when it has the last byte, and then one of its threads is busy. So the scanner sends the last byte only when
/// it gets one of the permits `verdicts`, of which there are fewer than clamd has threads. Accounts and networks take turns for them. In
/// clamd's own queue, all files would wait behind those of one account.
package struct ClamdScanner: UploadScanner {
    package let address: ClamdAddress
    let limits: ClamdLimits
    let group: any EventLoopGroup
    let connections: FairSemaphore
    /// Permits that the connections of files that still arrive need in addition to those in `connections`.
    let streams: FairSemaphore
    /// Permits that a scan needs in addition, from the last byte of the file to clamd's reply.
    let verdicts: FairSemaphore
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
                permits: limits.connections, permitsPerKey: limits.connectionsPerAccount, permitsPerNetwork: limits.connectionsPerNetwork,
                waiting: limits.waiting, waitingPerKey: limits.waiting, reserve: limits.reservedConnections, small: limits.fewConnections))
        // Each scan that waits for one of these permits has a connection, so no more than `connections` wait.
        verdicts = FairSemaphore(
            .init(
                permits: limits.verdicts, permitsPerKey: limits.verdictsPerAccount, permitsPerNetwork: limits.verdictsPerNetwork,
                waiting: limits.connections, waitingPerKey: limits.connections, reserve: limits.reservedVerdicts, small: 1))
        // No scan waits for these permits: without one, the file is scanned when it is complete.
        streams = FairSemaphore(
            .init(
                permits: limits.streams, permitsPerKey: limits.streamsPerAccount, permitsPerNetwork: limits.streamsPerNetwork, waiting: 1,
                waitingPerKey: 1))
    }

    package func scan() -> any ScanStream { ClamdScan(self, isArriving: false) }

    package func scanWhileArriving() -> any ScanStream { ClamdScan(self, isArriving: true) }

    /// Waits for a free connection, opens it, and sends the command. The caller closes the connection.
    /// - Throws: `ScannerUnavailable`, also when no connection became free within `limits.turn`, or too many scans wait for one.
    func connect(_ command: String) async throws -> ClamdConnection {
        let permit = try? await connections.acquire(for: Requester.current, within: limits.turn)
        guard let permit else { throw ScannerUnavailable("all its connections are in use") }
        return try await open(command, [permit])
    }

    /// Like `connect`, for a file that still arrives.
    /// - Returns: `nil` when no connection is free now, or when files that arrive use their share of the connections.
    func connectStream(_ command: String) async throws -> ClamdConnection? {
        let requester = Requester.current
        guard let stream = streams.acquireNow(for: requester), let permit = connections.acquireNow(for: requester) else { return nil }
        return try await open(command, [permit, stream])
    }

    /// Waits until clamd may get the last byte of another file. The caller gives the permit to the file's connection.
    /// - Throws: `ScannerUnavailable` when no permit became free within `limits.verdictTurn`.
    func verdictPermit() async throws -> FairSemaphore.Permit {
        let requester = Requester.current
        if let permit = verdicts.acquireNow(for: requester) { return permit }
        let permit = try? await verdicts.acquire(for: requester, within: limits.verdictTurn)
        guard let permit else { throw ScannerUnavailable("it has scanned other files for \(limits.verdictTurn)") }
        return permit
    }

    private func open(_ command: String, _ permits: [FairSemaphore.Permit]) async throws -> ClamdConnection {
        let connection = try await ClamdConnection.open(address, on: group, within: limits.progress, permits)
        connection.say(command)
        return connection
    }
}
