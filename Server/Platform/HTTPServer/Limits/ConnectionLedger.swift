import Core
import NIOCore
import NIOSSL
import Synchronization

/// Counts the open connections, in total and per network, and refuses new ones beyond the limits. When the total almost reaches its limit,
/// the ledger closes a connection without a request for each new connection.
package final class ConnectionLedger: Sendable {
    /// A counted connection.
    final class Entry: Sendable {
        private static let busy: UInt64 = 0
        private static let chosen: UInt64 = 1

        /// `nil` when the connection is not counted per network: trusted proxies and Unix sockets.
        let network: Network?
        private let channel: any Channel
        /// The time since which the connection has had no request, in nanoseconds of `NIODeadline`. `busy` while it has a request; `chosen`
        /// when it was chosen to be closed.
        private let idleSince: Atomic<UInt64>
        /// Whether the connection has ever had a request.
        private let isUsed = Atomic(false)
        /// Bytes of `ChannelLimits.connectionMemoryByteCount` that the connection counts for. The ledger's lock protects changes.
        fileprivate let byteCount: Atomic<Int>
        private let resets: StreamResets
        /// The network as `turns` counts it: an IPv4 network itself, or the /48 of an IPv6 network. `nil` if `network` is `nil`.
        fileprivate let site: Network?
        private let turns: StreamTurns.OfLoop
        private let openStreams: SharedBudget
        private let writeBuffers: SharedBudget

        fileprivate init(
            network: Network?, _ channel: any Channel, _ resets: StreamResets, _ turns: StreamTurns, _ openStreams: SharedBudget,
            _ writeBuffers: SharedBudget, byteCount: Int
        ) {
            self.byteCount = Atomic(byteCount)
            self.network = network
            self.channel = channel
            self.resets = resets
            site = network?.site ?? network
            self.turns = turns.on(channel.eventLoop)
            self.openStreams = openStreams
            self.writeBuffers = writeBuffers
            idleSince = Atomic(NIODeadline.now().uptimeNanoseconds)
        }

        /// Call this on the event loop when the head of a request has arrived.
        func requestBegan() {
            isUsed.store(true, ordering: .relaxed)
            idleSince.store(Self.busy, ordering: .relaxed)
        }

        /// Call this on the event loop when the last request has been answered.
        func requestEnded() { idleSince.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

        /// Call this on the event loop when the client has reset a stream before it had the response. Closes the connection if its network
        /// has reset too many streams.
        func streamWasReset() {
            guard let network, resets.add(network) else { return }
            // The connection is not closed at once: the channel may be in the middle of reading.
            channel.eventLoop.execute { [self] in cut() }
        }

        /// Call this on the event loop when the client opens an HTTP/2 stream, before the server makes anything for the stream.
        /// - Returns: the stream's share of the open streams' budget; release it when the stream closes.
        func openStream() throws(SharedBudget.Refusal) -> SharedBudget.Share {
            let share = try openStreams.share(1, of: Requester(account: nil, network: network))
            requestBegan()
            return share
        }

        /// - Returns: the share for a write buffer of `ChannelLimits.largeWriteBufferByteCount`; `nil` when the budget has no room for it.
        func largeWriteBuffer(_ byteCount: Int) -> SharedBudget.Share? {
            try? writeBuffers.share(byteCount, of: Requester(account: nil, network: network))
        }

        /// Whether the connection may open `streamCount` HTTP/2 streams now. Other frames count as part of a stream (`HTTP2Gate`). If the
        /// result is `false`, the ledger calls `pass` when the connection's turn has come; do not ask again before that. `pass` opens the
        /// streams and returns their number. Call this method on the event loop.
        func mayOpen(_ streamCount: Int, pass: @escaping () -> Int) -> Bool {
            guard let site, !turns.mayOpen(streamCount, by: site) else { return true }
            turns.wait(site, pass: pass)
            return false
        }

        /// Counts what the head of an HTTP/2 stream costs in addition to the stream, which `mayOpen` has counted. Call this method on the
        /// event loop.
        /// - Parameter byteCount: the length of the decoded head.
        func charge(forHead byteCount: Int) {
            let cost = StreamTurns.cost(ofHead: byteCount) - 1
            if cost > 0, let site { turns.charge(cost, to: site) }
        }

        /// Calls `pass` in a later pass of the event loop, when the connection's turn has come to begin a request that its client sent
        /// ahead. `pass` returns the number of requests that it begins. A trusted proxy's connections do not wait for each other. Call this
        /// method on the event loop.
        func awaitTurn(pass: @escaping () -> Int) {
            if let site {
                turns.wait(site, pass: pass)
            } else {
                LoopPass.next(on: channel.eventLoop) { _ = pass() }
            }
        }

        fileprivate var hasBeenUsed: Bool { isUsed.load(ordering: .relaxed) }

        /// - Returns: `nil` while the connection has a request, or was chosen to be closed.
        fileprivate var idleStart: UInt64? {
            let since = idleSince.load(ordering: .relaxed)
            return since > Self.chosen ? since : nil
        }

        /// - Returns: whether the connection was still idle since `start`.
        fileprivate func choose(idleSince start: UInt64) -> Bool {
            idleSince.compareExchange(expected: start, desired: Self.chosen, ordering: .relaxed).exchanged
        }

        /// Closes the connection, unless a request has arrived meanwhile.
        fileprivate func close() {
            channel.eventLoop.execute { [self] in
                guard idleSince.load(ordering: .relaxed) == Self.chosen else { return }
                cut()
            }
        }

        /// Closes the connection without TLS's closing handshake, which would wait up to five seconds for the client. Call it on the event
        /// loop.
        func cut() {
            if let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                tls.close(promise: nil)
            } else {
                channel.close(promise: nil)
            }
        }
    }

    private typealias Entries = [ObjectIdentifier: Entry]

    private struct Counts {
        var total = 0
        var byteCount = 0
        /// The bytes of each IPv4 network, and of all IPv6 networks of each /48 together.
        var sites: [Network: Int] = [:]
        var refused = 0
        var closed = 0
        private(set) var networks: [Network: Entries] = [:]
        private(set) var ranking = NetworkRanking()

        mutating func add(_ entry: Entry, of network: Network) {
            let before = networks[network]?.count ?? 0
            networks[network, default: [:]][ObjectIdentifier(entry)] = entry
            ranking.move(network, from: before, to: before + 1)
        }

        mutating func remove(_ entry: Entry, of network: Network) {
            guard networks[network]?.removeValue(forKey: ObjectIdentifier(entry)) != nil else { return }
            let left = networks[network]?.count ?? 0
            // Remove the network at zero, or the table would grow with every address that ever connected.
            if left == 0 { networks[network] = nil }
            ranking.move(network, from: left + 1, to: left)
        }
    }

    /// The most networks that are searched for an idle connection. Those with the most connections come first.
    private static let mostSearched = 8
    /// A connection that has had a request must be idle for this many times `ChannelLimits.leastIdle` before it is closed.
    private static let patienceWithUsed = 10

    private let limits: ChannelLimits
    /// A number of connections, and the bytes that they count for.
    private struct Room {
        var count: Int
        var byteCount: Int

        /// Whether both numbers are at least those of `other`.
        func covers(_ other: Room) -> Bool { count >= other.count && byteCount >= other.byteCount }
    }

    private let most: Room
    /// When the open connections reach one of these numbers, each new connection closes idle ones. What is left up to `most` is for
    /// connections that are being closed, and for times when no connection is idle.
    private let crowded: Room
    private let ofNew: Room
    /// The bytes of `most`, with a reserve for networks that hold few.
    private let bytes: SharedBudget.Limits
    private let proxies: TrustedProxies
    private let resets: StreamResets
    private let turns = StreamTurns()
    private let openStreams: SharedBudget
    private let writeBuffers: SharedBudget
    private let counts = Mutex(Counts())

    /// - Parameter isSecure: whether this server terminates TLS, which makes each connection cost more.
    package init(limits: ChannelLimits, proxies: TrustedProxies, isSecure: Bool) {
        self.limits = limits
        self.proxies = proxies
        resets = StreamResets(limit: limits.resetCountPerNetwork)
        openStreams = SharedBudget(limits.openStreams)
        writeBuffers = SharedBudget(limits.writeBuffers)
        ofNew = Room(count: 1, byteCount: isSecure ? limits.secureConnectionByteCount : limits.plainConnectionByteCount)
        most = Room(count: limits.mostConnections(isSecure: isSecure), byteCount: limits.connectionMemoryByteCount)
        bytes = SharedBudget.Limits(
            total: most.byteCount, perAccount: .max, perNetwork: .max, reserve: most.byteCount / 100 * limits.connectionReservePercent,
            small: most.byteCount / 16)
        crowded = Room(
            count: most.count - max(1, most.count / 16), byteCount: most.byteCount - max(ofNew.byteCount, most.byteCount / 16))
    }

    package var connectionCount: Int { counts.withLock { $0.total } }
    /// Connections refused since the server started.
    package var refusedCount: Int { counts.withLock { $0.refused } }
    /// Connections without a request that were closed since the server started, to make room for new connections.
    package var closedCount: Int { counts.withLock { $0.closed } }

    /// - Returns: `nil` when there are too many connections, in total or of this network.
    func enter(_ channel: any Channel) -> Entry? {
        let peer = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)
        let isProxy = peer.map(proxies.contains) ?? true
        let network = isProxy ? nil : peer?.network
        let entry = Entry(network: network, channel, resets, turns, openStreams, writeBuffers, byteCount: ofNew.byteCount)
        let (isAdmitted, idle) = counts.withLock { counts -> (Bool, [Entry]) in
            let ofNetwork = network.flatMap { counts.networks[$0]?.count } ?? 0
            guard ofNetwork < limits.connectionsPerAddress else {
                counts.refused += 1
                return (false, [])
            }
            let (hasRoom, idle) = makeRoom(for: ofNew, of: entry, &counts)
            guard hasRoom else { return (false, idle) }
            if let network { counts.add(entry, of: network) }
            return (true, idle)
        }
        for entry in idle { entry.close() }
        return isAdmitted ? entry : nil
    }

    /// Call this when the connection begins to use HTTP/2, which takes more memory.
    /// - Returns: `false` when there is no room for it. Then close the connection.
    func beginHTTP2(_ entry: Entry) -> Bool {
        let (isAdmitted, idle) = counts.withLock { counts -> (Bool, [Entry]) in
            let (hasRoom, idle) = makeRoom(for: Room(count: 0, byteCount: limits.http2ByteCount), of: entry, &counts)
            if hasRoom { entry.byteCount.add(limits.http2ByteCount, ordering: .relaxed) }
            return (hasRoom, idle)
        }
        for entry in idle { entry.close() }
        return isAdmitted
    }

    /// Counts `needed` if there is room. When there is almost none, this chooses idle connections to close, which are as large together.
    /// - Parameter asking: the connection that needs the room, which is not closed for itself.
    private func makeRoom(for needed: Room, of asking: Entry, _ counts: inout Counts) -> (hasRoom: Bool, idle: [Entry]) {
        let missing = Room(
            count: counts.total >= crowded.count ? needed.count : 0, byteCount: counts.byteCount >= crowded.byteCount ? needed.byteCount : 0
        )
        var (idle, freed): ([Entry], Room) = ([], Room(count: 0, byteCount: 0))
        // Connections that never had a request are closed first: a client that has had one will need its connection again.
        while !freed.covers(missing),
            let entry = chooseIdle(counts, besides: asking, alsoUsed: false) ?? chooseIdle(counts, besides: asking, alsoUsed: true)
        {
            idle.append(entry)
            freed.count += 1
            freed.byteCount += entry.byteCount.load(ordering: .relaxed)
        }
        counts.closed += idle.count
        let all = Room(count: counts.total + needed.count, byteCount: counts.byteCount + needed.byteCount)
        let site = asking.site
        let ofSite = site.map { counts.sites[$0, default: 0] + needed.byteCount }
        let mostBytes = most.byteCount - (ofSite.map { bytes.reserve(for: $0) } ?? 0)
        // At the limit, the new connection takes the place of the idle ones.
        guard all.count <= most.count || freed.count >= needed.count, all.byteCount <= mostBytes || freed.byteCount >= needed.byteCount
        else {
            counts.refused += 1
            return (false, idle)
        }
        (counts.total, counts.byteCount) = (all.count, all.byteCount)
        if let site, let ofSite { counts.sites[site] = ofSite }
        return (true, idle)
    }

    func leave(_ entry: Entry) {
        counts.withLock { counts in
            counts.total -= 1
            let byteCount = entry.byteCount.load(ordering: .relaxed)
            counts.byteCount -= byteCount
            if let site = entry.site {
                let left = counts.sites[site, default: 0] - byteCount
                // Remove the site at zero, or the table would grow with every address that ever connected.
                counts.sites[site] = left > 0 ? left : nil
            }
            if let network = entry.network { counts.remove(entry, of: network) }
        }
    }

    /// Chooses the connection to close: the one that has been idle for the longest in the network with the most connections. If that
    /// network has no idle connection, the network with the next most connections is searched.
    /// - Parameter alsoUsed: whether a connection that has had a request may be chosen, too.
    private func chooseIdle(_ counts: Counts, besides asking: Entry, alsoUsed: Bool) -> Entry? {
        // Seconds may pass between two requests of a client, so a connection that has had a request gets more time.
        let leastIdle = limits.leastIdle * (alsoUsed ? Self.patienceWithUsed : 1)
        let latest = (NIODeadline.now() - TimeAmount(leastIdle)).uptimeNanoseconds
        for network in counts.ranking.fullest(Self.mostSearched) {
            let entries = counts.networks[network] ?? [:]
            let idle = entries.values.compactMap { entry in
                entry === asking || entry.hasBeenUsed && !alsoUsed ? nil : entry.idleStart.map { (entry: entry, start: $0) }
            }
            let longest = idle.min { $0.start < $1.start }
            if let longest, longest.start <= latest, longest.entry.choose(idleSince: longest.start) { return longest.entry }
        }
        return nil
    }
}
