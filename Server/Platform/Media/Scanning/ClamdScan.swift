import Blobs
import Logging
import NIOCore

/// One file's way through clamd: a chunk is sent while the next one fills, and whoever fills waits when both are full.
///
/// A file that fits in one chunk takes a connection only once it is whole, so that many small or slow ones need few.
actor ClamdScan: ScanStream {
    /// Long enough that a hop to the network's thread does not show; two of them are all that is in memory.
    static let chunkByteCount = 65_536
    /// While a file still arrives, less is sent only after a silence.
    private static let worthSending = 16_384
    /// clamd gives up a connection on which nothing came for its ReadTimeout.
    private static let longestSilence = Duration.seconds(5)

    private let scanner: ClamdScanner
    private var filling = ByteBuffer()
    /// The storage of the chunk that was sent last; in use again once it is sent.
    private var spare = ByteBuffer()
    private var connection: ClamdConnection?
    private var sending: EventLoopFuture<Void>?
    private var lastSent = ContinuousClock.now
    /// Said before the end: the rest need not be seen.
    private var found: ScanVerdict?
    private var isEnded = false
    private var isAborted = false

    init(_ scanner: ClamdScanner) { self.scanner = scanner }

    deinit { if let connection { connection.close() } }

    func append(_ bytes: ByteBuffer) async throws {
        guard !isEnded else { throw ScannerUnavailable("the scan was over") }
        guard found == nil else { return }
        var rest = bytes
        do {
            while rest.readableBytes > 0, found == nil {
                let room = Self.chunkByteCount - filling.readableBytes
                filling.writeImmutableBuffer(rest.readSlice(length: min(room, rest.readableBytes))!)
                if filling.readableBytes == Self.chunkByteCount { try await send() }
            }
            if isDue { try await send() }
        } catch {
            throw end(error)
        }
    }

    func finish() async throws -> ScanVerdict {
        guard !isEnded else { throw ScannerUnavailable("the scan was over") }
        isEnded = true
        do {
            try await send()
            try await sent()
            let verdict = if let found { found } else { try await askForVerdict() }
            release()
            if case .infected(let name) = verdict { scanner.logger.notice("a file was infected", metadata: ["signature": "\(name)"]) }
            return verdict
        } catch {
            throw end(error)
        }
    }

    func abort() {
        isEnded = true
        isAborted = true
        filling = ByteBuffer()
        release()
    }

    // MARK: Sending

    /// Whether less than a whole chunk goes now.
    private var isDue: Bool {
        guard let connection, filling.readableBytes > 0, !connection.isSending else { return false }
        return filling.readableBytes >= Self.worthSending || ContinuousClock.now - lastSent > Self.longestSilence
    }

    /// Sends what has gathered, once the chunk before is sent.
    private func send() async throws {
        let connection = try await connected()
        try await sent()
        // A chunk of no bytes would say that the file ends here.
        guard found == nil, filling.readableBytes > 0 else { return filling.clear() }
        let chunk = filling
        filling = spare
        filling.clear(minimumCapacity: chunk.readableBytes == Self.chunkByteCount ? Self.chunkByteCount : 0)
        spare = chunk
        lastSent = .now
        sending = connection.send(chunk, within: scanner.limits.progress)
    }

    /// Waits until the last chunk is sent, and hears what clamd may have said meanwhile.
    private func sent() async throws {
        guard let connection, found == nil else { return }
        let isSent = await (try? sending?.get()) != nil || sending == nil
        sending = nil
        guard !isSent || connection.hasReply else { return }
        switch try await connection.reply(within: scanner.limits.progress).verdict {
        case .clean: throw ScannerUnavailable("it said OK before it had every byte")
        case let verdict: found = verdict
        }
    }

    private func askForVerdict() async throws -> ScanVerdict {
        let connection = try await connected()
        let isSent = await (try? connection.sendEnd(within: scanner.limits.progress).get()) != nil
        // Also when it was not sent: clamd says why before it cuts us off.
        let verdict = try await connection.reply(within: scanner.limits.verdict).verdict
        if verdict == .clean, !isSent { throw ScannerUnavailable("it said OK before it had every byte") }
        return verdict
    }

    // MARK: The connection

    private func connected() async throws -> ClamdConnection {
        if let connection { return connection }
        guard !isAborted else { throw ScannerUnavailable("the scan was aborted") }
        let opened = try await scanner.connect("zINSTREAM\0")
        // Aborted while we waited: nobody else lets go of this one.
        guard !isAborted else {
            opened.close()
            throw ScannerUnavailable("the scan was aborted")
        }
        connection = opened
        return opened
    }

    private func release() {
        guard let connection = connection.take() else { return }
        sending = nil
        spare = ByteBuffer()
        connection.close()
    }

    private func end(_ error: any Error) -> any Error {
        let failure = error as? ScannerUnavailable ?? ScannerUnavailable("\(error)")
        if !isAborted { scanner.logger.warning("no verdict on a file", metadata: ["reason": "\(failure.reason)"]) }
        abort()
        return failure
    }
}
