package import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Limits on what a connection may cost the server before its client is authenticated.
package struct ChannelLimits: Sendable {
    // MARK: Size

    /// The largest head of a request (request line and all fields together), in bytes.
    package var headerListByteCount = 16 * 1024
    /// The largest single field, in bytes.
    package var headerFieldByteCount = 16 * 1024
    package var headerFieldCount = 100
    /// A longer head counts as a part of `bodyBytes`, in bytes.
    package var shortHeadByteCount = 4 * 1_024
    /// The most bytes per read of the socket. Larger reads speed up one stream, but each connection may hold a few of them in memory.
    package var readByteCount = 256 * 1024
    /// The most bytes per read over HTTP/1.1 without TLS while no body arrives. Such a connection may also hold this many bytes of requests
    /// that its client sends ahead, and more only as far as `readAhead` allows.
    package var heldByteCount = 16 * 1024
    /// The most bytes per read over TLS and HTTP/2. There, handlers keep buffers as large as the connection's largest read until it closes:
    /// NIOSSL for decrypted bytes, and the parser of HTTP/2 frames. Decrypting takes so long that larger reads would gain little.
    package var keptReadByteCount = 64 * 1024
    /// The most bytes per read over TLS and HTTP/2 until a body has proved long, and while `keptReads` has no bytes left.
    package var firstKeptReadByteCount = 16 * 1024
    /// The most bytes of handlers' buffers on all connections whose reads have grown to `keptReadByteCount`. Each such connection counts as
    /// two buffers.
    package var keptReads = SharedBudget.Limits(total: 16 * 1_048_576, perAccount: .max, perNetwork: 4 * 1_048_576)
    /// The most concurrent streams per HTTP/2 connection.
    package var streamCount = 100
    /// The flow-control window of an HTTP/2 stream, in bytes: what its client may send before the handler reads it. At a round trip of 50
    /// ms it allows 25 MB a second.
    package var streamWindowByteCount = 1_310_720
    /// The flow-control window of an HTTP/2 connection, in bytes. It keeps one connection from filling the network path to the server.
    /// `unreadByteCount` bounds what the connection holds in memory.
    package var connectionWindowByteCount = 4 * 1_048_576
    /// The most bytes of responses that an HTTP/2 connection buffers, apart from one frame, before its streams wait until the client reads.
    package var writeBufferByteCount = 16 * 1_024
    /// The limit instead of `writeBufferByteCount` while `writeBuffers` has bytes left. With it, a download takes two thirds of the time.
    package var largeWriteBufferByteCount = 64 * 1_024
    /// The most bytes that all connections with `largeWriteBufferByteCount` count for together.
    package var writeBuffers = SharedBudget.Limits(
        total: 8 * 1_048_576, perAccount: .max, perNetwork: 2 * 1_048_576, reserve: 3 * 1_048_576, small: 1_048_576)
    /// The most streams that a client may open and reset within 30 seconds; beyond that the connection is closed (CVE-2023-44487).
    package var resetCount = 500
    /// The most streams that the clients of one network, on all its connections, may reset within 30 seconds before they have the response.
    /// Each further reset closes its connection.
    package var resetCountPerNetwork = 1_000

    // MARK: Responses

    /// The most unsent bytes that the kernel buffers per connection (TCP_NOTSENT_LOWAT). Without this limit the kernel buffers up to 4 MB
    /// for a client that does not read.
    package var unsentByteCount = 256 * 1024
    /// The limit instead of `unsentByteCount` for a connection that reads a large file quickly over plain HTTP/1.1. The kernel sends such a
    /// file from its page cache.
    package var fastUnsentByteCount = 2 * 1_048_576
    /// The most bytes that all connections with `fastUnsentByteCount` count for together. A connection that gets no share of them keeps
    /// `unsentByteCount`.
    package var fastUnsent = SharedBudget.Limits(total: 128 * 1_048_576, perAccount: 16 * 1_048_576, perNetwork: 16 * 1_048_576)
    /// Bytes of the first piece of a response, sent before the server knows how fast the client reads.
    package var firstPieceByteCount = 16 * 1024
    /// A file, or a part of one, of at most this size is read whole and written together with the head of its response. Head and file fit
    /// in an encrypted buffer of 64 KiB.
    package var smallFileByteCount = 60 * 1024
    /// The most bytes of a file that the kernel sends at a time over plain HTTP/1.1 (sendfile). Less would cost more system calls; more
    /// would let one connection keep its event loop for longer. 0 reads files into memory instead.
    package var regionByteCount = 1_048_576
    /// The most bytes of a response from memory, such as an archive, that are written at a time over plain HTTP/1.1.
    package var pieceByteCount = 256 * 1024
    /// The most bytes of a piece over TLS, which encrypts each piece, so memory holds it as read and as encrypted. With its records, the
    /// piece fits in an encrypted buffer of 64 KiB; a piece of 64 KiB would double that buffer.
    package var framedPieceByteCount = 64 * 1024 - 512
    /// The most bytes of a piece over HTTP/2, whose frames and flow control hold memory in addition.
    package var http2PieceByteCount = 48 * 1024 - 512
    /// The most bytes that the responses of one connection hold together. Beyond it each HTTP/2 stream gets only `AnswerWindow.least`.
    package var connectionAnswerByteCount = 256 * 1024
    /// The most bytes that all responses in flight hold together, in addition to `AnswerWindow.least` for each.
    package var answerByteCount = 40 * 1_048_576
    /// The share of `answerByteCount` for one network, and also for one account: 64 KiB for each of the network's connections.
    package var answerByteCountPerNetwork = 16 * 1_048_576
    /// The most bytes of long responses that are complete in memory before they are sent, such as JSON. One account may hold a sixth of it,
    /// one network a third.
    package var madeAnswerByteCount = 24 * 1_048_576
    /// The bytes on the disk of long responses for which `madeAnswerByteCount` had no room. One response counts at most for the share of an
    /// account.
    package var storedAnswers = SharedBudget.Limits(
        total: 256 * 1_048_576, perAccount: 8 * 1_048_576, perNetwork: 16 * 1_048_576, reserve: 128 * 1_048_576, small: 4 * 1_048_576)
    /// The bytes on the disk of long responses to requests that may have changed something, when no other budget has room. Such a response
    /// is refused only if this budget has no room either, because a client that gets an error would repeat the change.
    package var answersToChanges = SharedBudget.Limits(total: 32 * 1_048_576, perAccount: 4 * 1_048_576, perNetwork: 8 * 1_048_576)
    /// The bytes of these responses in memory while they are written to the disk. Further long responses wait until there is room.
    package var storingAnswers = SharedBudget.Limits(
        total: 8 * 1_048_576, perAccount: 4 * 1_048_576, perNetwork: 4 * 1_048_576, reserve: 2 * 1_048_576, small: 512 * 1_024)
    /// The most bytes that wait for clients to read them: `answerByteCount`, `madeAnswerByteCount` and the unsent messages of sockets
    /// together (`ClientMemory`). The reserve lets a network receive several long lists at a time.
    package var unsentBytes = SharedBudget.Limits(
        total: 40 * 1_048_576, perAccount: .max, perNetwork: 24 * 1_048_576, reserve: 15 * 1_048_576, small: 6 * 1_048_576)
    /// The most large responses in flight; each has an open file.
    package var answers = ChannelLimits.affordableAnswers
    /// The most responses in flight whose file is in an object store. Each keeps a connection to the store for as long as its client reads.
    /// A quarter is reserved for networks with few such responses.
    package var remoteAnswers = 512
    /// The share of `remoteAnswers` for one network. One account gets half of this share.
    package var remoteAnswersPerNetwork = 256
    /// The most files that stay open for a minute or two after a response, for the next request. They do not count against `answers`.
    package var openFiles = ChannelLimits.affordableOpenFiles
    /// The share of `answers` for one network: as many as its connections allow over HTTP/1.1. One account gets half of this share.
    package var answersPerNetwork: Int { connectionsPerAddress }
    /// The most open HTTP/2 streams on all connections. Each costs about 30 KB, whatever its request and response are.
    package var streams = 2_560
    /// The part of `streams` that is reserved for networks that hold at most 32 of them. A few large networks hold the rest at most.
    package var streamsReserved = 1_536
    /// The share of `streams` for one network: as many as it may have connections.
    package var streamsPerNetwork = 256
    /// The most open HTTP/2 streams, including those whose request the server has not checked yet. Beyond it the server resets a stream
    /// before it makes anything for the stream. It is larger than `streams`, so that a client with too many streams first gets 429.
    package var openStreams = SharedBudget.Limits(
        total: 2_880, perAccount: .max, perNetwork: 336, reserve: 1_536, small: 64)

    // MARK: Time

    /// A connection without a request is closed after this time.
    package var idle: Duration = .seconds(60)
    /// The most time from the first byte of a head to its last, and from the accepted connection to the end of the TLS handshake.
    package var head: Duration = .seconds(10)
    /// The minimum rate of a request's body, measured while the server waits for bytes.
    package var body = MinimumRate(start: .seconds(10), ceiling: .seconds(60), bytesPerSecond: 256)
    /// The minimum rate at which a client reads a response, measured while bytes wait to be sent.
    package var answer = MinimumRate(start: .seconds(60), ceiling: .seconds(60), bytesPerSecond: 256)
    /// After the last response of a connection, and after a response that was sent before the end of its request, the server reads and
    /// drops what the client still sends for at most this time.
    package var linger: Duration = .seconds(2)
    /// The most bytes that the server reads and drops after the last response of an HTTP/1 connection. The kernels of client and server
    /// buffer up to 10 MB, which are on their way before the client can see the response.
    package var lingerByteCount = 16 * 1_048_576
    /// When the server stops, HTTP/2 connections are closed this long after GOAWAY. It is shorter than the ten seconds within which the
    /// whole server stops.
    package var farewell: Duration = .seconds(8)

    // MARK: Number

    /// The most open connections. A further connection is closed; without TLS it first gets 503.
    package var connections = ChannelLimits.affordableConnections
    /// The memory for open connections, in bytes; it also limits their number. Connections that are not idle can take twice as much, which
    /// the server can afford of the 400 MB that it may use under load.
    package var connectionMemoryByteCount = 128 * 1_048_576
    /// The part of it, in percent, that is reserved for networks that hold at most a sixteenth of it (`SharedBudget.Limits.reserve`).
    package var connectionReservePercent = 50
    /// Bytes of `connectionMemoryByteCount` that an idle connection counts for. The value with TLS was measured with 9,000 connections. The
    /// value without TLS is an estimate. With an unfinished head of 15 KB and an unfinished TLS record of 16 KB, a connection takes 112 KB.
    package var secureConnectionByteCount = 50 * 1_024
    package var plainConnectionByteCount = 16 * 1_024
    /// Bytes of `connectionMemoryByteCount` that a connection counts for in addition once it uses HTTP/2. With TLS, an idle connection takes
    /// 78 KB before its first request and up to 130 KB after several frames of 16 KB (measured with 3,000 connections).
    package var http2ByteCount = 78 * 1_024
    /// When almost all connections are open, a new one closes one that has had no request for this time.
    package var leastIdle: Duration = .seconds(1)
    /// The most open connections of one network: one IPv4 address or one IPv6 /64. Connections of trusted proxies are not counted.
    package var connectionsPerAddress = 256
    /// The most connections that the server accepts in one pass of the listener's event loop. With NIO's default of 4, new connections
    /// would wait behind a flood of others whenever busy connections make a pass long.
    package var acceptCount: UInt = 64
    /// The most requests in progress. A request that waits for its client to send or to read is not counted.
    package var requestsInWork = 512
    /// The share of `requestsInWork` for one caller: one credential, or all requests without a credential from one network.
    package var requestsInWorkPerCaller = 256
    /// The share of `requestsInWork` for one network: one IPv4 address or one IPv6 /64.
    package var requestsInWorkPerNetwork = 384
    /// The part of `requestsInWork` that is reserved for networks with fewer than `requestsOfSmallNetwork` requests in progress. It keeps a
    /// few networks that take all they can get from locking out everybody else. Here an IPv6 /48 counts as one network.
    package var requestsReserved = 64
    package var requestsOfSmallNetwork = 8
    /// The most new requests that wait for a request in progress to end.
    package var requestsWaiting = 192
    package var requestsWaitingPerCaller = 64
    package var requestsWaitingPerNetwork = 128
    /// The part of `requestsWaiting` that is reserved for networks with fewer than `requestsOfSmallNetwork` waiting requests. Here too, an
    /// IPv6 /48 counts as one network.
    package var requestsWaitingReserved = 48
    /// How long a new request waits before it gets 503.
    package var requestWait: Duration = .seconds(1)
    /// The most requests that waited for their client and now wait to continue. They go before new requests, because their body has been
    /// read already. Keep this at least as large as the number of uploads, so that no upload is refused here.
    package var requestsReturning = 4_096
    /// How long a request counted by `requestsReturning` waits before it is refused.
    package var returnWait: Duration = .seconds(10)
    /// The server does not read from a connection for this time after it answered 503. A client that retries at once would otherwise cost
    /// more in refusals than the refused work.
    package var refusalPause: Duration = .milliseconds(500)

    // MARK: Bodies

    /// The most uploads whose client is still sending, or whose files are being inspected. A phone sends a few at a time; 128 suffices for
    /// an office behind one address.
    package var unfinishedUploads = SharedBudget.Limits(
        total: 1_024, perAccount: 32, perNetwork: 128, reserve: 256, small: 8)
    /// The share of `unfinishedUploads` for one upload link: one upload and one retry at the same time. Anyone who has the link can use it,
    /// so it must not use up the share of the account that issued it.
    package var unfinishedUploadsPerLink = 2
    /// The most bytes that the server holds of what clients have sent: `bodyBytes`, `readAhead` and the messages of sockets together
    /// (`ClientMemory`). From the reserve, a network can receive several photos at a time, each of which counts up to 1 MiB.
    package var receivedBytes = SharedBudget.Limits(
        total: 48 * 1_048_576, perAccount: .max, perNetwork: 28 * 1_048_576, reserve: 18 * 1_048_576, small: 8 * 1_048_576)
    /// The most bytes that all bodies together hold while they are received. JSON counts all bytes received so far; an upload counts its
    /// window (`uploadByteCount`).
    package var bodyBytes = SharedBudget.Limits(
        total: 48 * 1_048_576, perAccount: 20 * 1_048_576, perNetwork: 28 * 1_048_576, reserve: 18 * 1_048_576, small: 8 * 1_048_576)
    /// Bytes that each body counts for from its start, in addition to the bytes that arrive. They cover the cost of its request while it
    /// waits: 52 KB for an upload of one file, measured with 512 of them.
    package var unfinishedBodyByteCount = 48 * 1_024
    /// The most bytes that an upload counts for: two batches on their way to the disk. An upload of fewer bytes counts for those that have
    /// arrived. When the budget has no room for them, the upload continues in small writes.
    package var uploadByteCount = 1_048_576
    /// The most bytes of bodies that a connection may hold before a handler takes them, and the most bytes of one read over HTTP/1.1 without
    /// TLS. When the handler has taken bytes, the connection reads more, and with larger reads, as far as `readAhead` allows. At most
    /// `heldByteCount` of them belong to bodies of which no handler has taken bytes, for example because it waits for its turn.
    package var unreadByteCount = 32 * 1_024
    /// The limit of one connection instead of `unreadByteCount` while `readAhead` has bytes left. Then, during a fast upload, the reader
    /// and the writer work at the same time.
    package var mostUnreadByteCount = 1_048_576
    /// The most bytes that all connections together hold of bodies beyond `unreadByteCount` for each connection, of reads larger than that,
    /// and of requests sent ahead beyond `heldByteCount` for each. A fast upload uses 0.5 to 1.25 MiB. It is a small part of `receivedBytes`,
    /// because without it uploads are only slower, while JSON bodies need their share of `bodyBytes`.
    package var readAhead = SharedBudget.Limits(
        total: 16 * 1_048_576, perAccount: .max, perNetwork: 8 * 1_048_576, reserve: 6 * 1_048_576, small: 2 * 1_048_576)

    package init() {}

    /// The most open connections that the descriptors and the memory allow.
    package func mostConnections(isSecure: Bool) -> Int {
        min(connections, connectionMemoryByteCount / (isSecure ? secureConnectionByteCount : plainConnectionByteCount))
    }

    /// 16,384, or fewer if the process may open fewer files: a quarter of them, and at least 64, stays available for the database and
    /// uploads. Without a free descriptor the server could not accept connections at all.
    private static var affordableConnections: Int {
        guard let files = descriptorCount else { return 16_384 }
        return max(16, min(16_384, min(files / 4 * 3, files - 64)))
    }

    /// 4,096, or fewer if the process may open fewer files: half of the files that connections leave.
    private static var affordableAnswers: Int {
        guard let files = descriptorCount else { return 4_096 }
        return max(16, min(4_096, files / 8))
    }

    /// 1,024, or fewer if the process may open fewer files: a quarter of the files that connections and responses leave.
    private static var affordableOpenFiles: Int {
        guard let files = descriptorCount else { return 1_024 }
        return min(1_024, files / 32)
    }

    /// The most descriptors of this process; `nil` if the system does not tell.
    private static var descriptorCount: Int? {
        var limit = rlimit()
        guard getrlimit(descriptors, &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static var descriptors: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var descriptors: Int32 { RLIMIT_NOFILE }
    #endif
}
