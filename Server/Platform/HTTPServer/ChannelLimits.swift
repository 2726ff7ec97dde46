package import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a connection may cost before anything is known about who is at its other end.
package struct ChannelLimits: Sendable {
    // MARK: Size

    /// The request line and all fields of a head together, in bytes.
    package var headerListByteCount = 32 * 1024
    /// One field, in bytes.
    package var headerFieldByteCount = 16 * 1024
    package var headerFieldCount = 100
    /// Bytes read from the socket at a time, at most. Larger reads help one stream; each connection may hold a few of them.
    package var readByteCount = 256 * 1024
    /// Streams of an HTTP/2 connection that may be open at a time.
    package var streamCount = 100
    /// What a stream of HTTP/2 may send ahead of what its handler reads, in bytes: over a wire that is 50 ms long, 25 MB a second.
    package var streamWindowByteCount = 1_310_720
    /// The same for a connection, in bytes. It keeps one connection from filling the way to the server. What it may hold in memory is
    /// `unreadByteCount`.
    package var connectionWindowByteCount = 4 * 1_048_576
    /// Streams a client may open and take back in 30 seconds before its connection is closed (CVE-2023-44487).
    package var resetCount = 500

    // MARK: Answers

    /// Bytes the kernel takes for a connection beyond what is on its way (TCP_NOTSENT_LOWAT). Without it the kernel keeps up to 4 MB for a
    /// client that does not read.
    package var unsentByteCount = 256 * 1024
    /// The first piece of an answer, before it is known how fast its client reads.
    package var firstPieceByteCount = 16 * 1024
    /// The largest piece of an answer over plain HTTP/1.1, read and written at a time.
    package var pieceByteCount = 256 * 1024
    /// The same over TLS and HTTP/2, where it is encrypted or framed: 64 KiB read and 64 KiB encrypted. Twice
    /// that takes some 0.4 MB for a connection that reads fast.
    package var framedPieceByteCount = 64 * 1024
    /// What the answers of one connection hold together. Beyond it each stream of HTTP/2 has `AnswerWindow.least`.
    package var connectionAnswerByteCount = 256 * 1024
    /// What all answers in flight hold together, beyond `AnswerWindow.least` each.
    package var answerByteCount = 64 * 1_048_576
    /// What those of one network, and of one account, hold: 64 KiB for each of its connections.
    package var answerByteCountPerNetwork = 16 * 1_048_576
    /// What long answers hold that were made before they are sent, such as JSON: a quarter of it one account, a half one network.
    package var madeAnswerByteCount = 64 * 1_048_576
    /// Large answers in flight, each with an open file.
    package var answers = ChannelLimits.affordableAnswers
    /// Those of one network: what HTTP/1.1 could have on its connections. One account has half of it.
    package var answersPerNetwork: Int { connectionsPerAddress }
    /// Streams of HTTP/2 that are open at a time, each with some 30 KB, whatever is asked and answered on them.
    package var streams = 4_096
    /// Those of one network: ten connections with a hundred each.
    package var streamsPerNetwork = 1_024

    // MARK: Time

    /// A connection without a request closes after this long.
    package var idle: Duration = .seconds(60)
    /// From the first byte of a head to its last; from the connection to the end of the TLS handshake.
    package var head: Duration = .seconds(10)
    /// How a body has to arrive, counted while the server waits for it.
    package var body = MinimumRate(start: .seconds(10), ceiling: .seconds(60), bytesPerSecond: 256)
    /// How an answer has to be taken, counted while bytes wait to be sent.
    package var answer = MinimumRate(start: .seconds(60), ceiling: .seconds(60), bytesPerSecond: 256)
    /// After an answer that came early, the body is read and dropped for this long at most.
    package var linger: Duration = .seconds(2)
    /// HTTP/2 connections are cut this long after they were told that the server stops. Shorter than the ten seconds in which
    /// the whole server stops.
    package var farewell: Duration = .seconds(8)

    // MARK: Number

    /// Connections at a time. Beyond it a connection is answered 503 and closed.
    package var connections = ChannelLimits.affordableConnections
    /// Connections of one address at a time; of an IPv6 address its /64 counts. Trusted proxies are not counted.
    package var connectionsPerAddress = 256
    /// Requests that are worked on at a time. One that waits for its client, sending or reading, is not among them.
    package var requestsInWork = 512
    /// Of them, those of one caller: of one credential, or of all that one network sends without any.
    package var requestsInWorkPerCaller = 256
    /// Of them, those of one network: an IPv4 address or the /64 of an IPv6 address.
    package var requestsInWorkPerNetwork = 384
    /// New requests that wait for one of those to end.
    package var requestsWaiting = 192
    package var requestsWaitingPerCaller = 64
    package var requestsWaitingPerNetwork = 128
    /// How long they wait before they are answered 503.
    package var requestWait: Duration = .seconds(1)
    /// Requests that have waited for their client and go on before new ones, as their body has been read already. No smaller than the
    /// number of uploads: none of those is refused for it.
    package var requestsReturning = 4_096
    /// How long they wait for a place.
    package var returnWait: Duration = .seconds(10)
    /// A connection that was told to come back later (503) is not read from for so long: one that asks again at once would otherwise cost
    /// more in refusals than the work it is refused.
    package var refusalPause: Duration = .milliseconds(500)

    // MARK: Bodies

    /// Uploads whose client is still sending, or whose files are being inspected. A phone sends a few at a time; 128 is an office behind
    /// one address.
    package var unfinishedUploads = SharedBudget.Limits(total: 1_024, perAccount: 32, perNetwork: 128, reserve: 256, small: 8)
    /// Of them, those that one upload link may have: its finder must not use up the share of the account that gave it away. One upload, and a
    /// second try beside it.
    package var unfinishedUploadsPerLink = 2
    /// The bytes of all bodies under way: of JSON all that has come, of an upload its window.
    package var bodyBytes = SharedBudget.Limits(
        total: 128 * 1_048_576, perAccount: 24 * 1_048_576, perNetwork: 48 * 1_048_576, reserve: 32 * 1_048_576, small: 2 * 1_048_576)
    /// What a body counts for from its first moment, in bytes: what its request costs while it waits.
    package var unfinishedBodyByteCount = 16 * 1_024
    /// What an upload counts for at most, in bytes: two batches on their way to the disk. Until so much has come it counts what came.
    package var uploadByteCount = 1_048_576
    /// How long an upload waits for such bytes before it is refused.
    package var bodyBytesWait: Duration = .seconds(5)
    /// What a connection may hold of bodies that no handler has taken yet, in bytes. More than that is read only as far as `readAhead` goes.
    package var unreadByteCount = 128 * 1_024
    /// The same where there is room, in bytes: a fast upload keeps reader and writer busy at once.
    package var mostUnreadByteCount = 1_048_576
    /// What all connections may hold beyond `unreadByteCount` each, in bytes.
    package var readAhead = SharedBudget.Limits(total: 48 * 1_048_576, perAccount: .max, perNetwork: 16 * 1_048_576)

    package init() {}

    /// 16,384, or fewer where the process may not have as many files open: a quarter of them, and at least 64, is left to the
    /// database and the uploads. Running out of descriptors would end the listening itself.
    private static var affordableConnections: Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 16_384 }
        let files = Int(clamping: limit.rlim_cur)
        return max(16, min(16_384, min(files / 4 * 3, files - 64)))
    }

    /// 4,096, or fewer where the process may not have as many files open: half of what connections leave.
    private static var affordableAnswers: Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 4_096 }
        return max(16, min(4_096, Int(clamping: limit.rlim_cur) / 8))
    }

    #if canImport(Glibc)
        private static var openFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var openFiles: Int32 { RLIMIT_NOFILE }
    #endif
}
