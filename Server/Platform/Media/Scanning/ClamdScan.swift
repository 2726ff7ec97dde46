import Blobs
import Connections
import Logging
import NIOCore

/// Scans one file with clamd. One chunk is sent while the next one fills; `append` waits when both are full.
///
/// A file that fits in one chunk uses a connection only once it is complete, so that many small or slow files need few connections.
actor ClamdScan: ScanStream {
    /// Large enough that switching to the event loop's thread does not matter. At most two chunks are in memory.
    static let chunkByteCount = 65_536
    private static let command = "zINSTREAM\0"
    /// While a file is arriving, the fewest bytes that are sent at a time. If its client takes longer for them than `ClamdLimits.patience`,
    /// the connection is closed, so clamd never waits as long as its ReadTimeout (default 120 s).
    private static let worthSending = 16_384

    private let scanner: ClamdScanner
    /// Whether the file may be incomplete, so that its client decides how long the scan takes.
    private let isArriving: Bool
    private var filling = ByteBuffer()
    /// The buffer of the last chunk, reused once it was sent.
    private var spare = ByteBuffer()
    private var connection: ClamdConnection?
    private var sending: EventLoopFuture<Void>?
    /// The time between the calls of `append` since the last chunk was sent.
    private var idleTime = Duration.zero
    private var lastAppend = ContinuousClock.now
    /// A verdict that arrived before the end of the file; the rest need not be sent.
    private var found: ScanVerdict?
    /// Whether the file must be scanned again when it is complete.
    private var isPostponed = false
    private var isEnded = false
    private var isAborted = false

    init(_ scanner: ClamdScanner, isArriving: Bool) {
        self.scanner = scanner
        self.isArriving = isArriving
    }

    deinit { if let connection { connection.close() } }

    func prepare() async throws {
        guard !isEnded else { throw ScannerUnavailable("the scan was over") }
        do {
            _ = try await connected()
        } catch {
            throw end(error)
        }
    }

    func append(_ bytes: ByteBuffer) async throws {
        guard !isEnded else { throw ScannerUnavailable("the scan was over") }
        guard found == nil, !isPostponed else { return }
        var rest = bytes
        do {
            if isArriving, connection != nil {
                idleTime += ContinuousClock.now - lastAppend
                if idleTime > scanner.limits.patience { throw ScanPostponed() }
            }
            while rest.readableBytes > 0, found == nil {
                let room = Self.chunkByteCount - filling.readableBytes
                filling.writeImmutableBuffer(rest.readSlice(length: min(room, rest.readableBytes))!)
                if filling.readableBytes == Self.chunkByteCount { try await send() }
            }
            if isDue { try await send() }
            lastAppend = .now
        } catch is ScanPostponed {
            isPostponed = true
            filling = ByteBuffer()
            release()
        } catch {
            throw end(error)
        }
    }

    func finish() async throws -> ScanVerdict {
        guard !isEnded else { throw ScannerUnavailable("the scan was over") }
        isEnded = true
        guard !isPostponed else { throw ScanPostponed() }
        do {
            try await send()
            try await sent()
            // The file may have to wait for its turn at clamd's threads, so its buffers are freed first.
            (filling, spare) = (ByteBuffer(), ByteBuffer())
            let verdict = if let found { found } else { try await askForVerdict() }
            release()
            if case .infected(let name) = verdict {
                scanner.logger.notice("a virus was found; the file is refused", metadata: ["signature": "\(name)"])
            }
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

    /// Whether to send a partial chunk now.
    private var isDue: Bool {
        guard let connection, !connection.isSending else { return false }
        return filling.readableBytes >= Self.worthSending
    }

    /// Sends the filled bytes, once the previous chunk is sent.
    private func send() async throws {
        let connection = try await connected()
        try await sent()
        // An empty chunk would mark the end of the file.
        guard found == nil, filling.readableBytes > 0 else { return filling.clear() }
        let chunk = filling
        filling = spare
        filling.clear(minimumCapacity: chunk.readableBytes == Self.chunkByteCount ? Self.chunkByteCount : 0)
        spare = chunk
        idleTime = .zero
        sending = connection.send(chunk, within: scanner.limits.progress)
    }

    /// Waits until the last chunk is sent, and reads a reply that may have arrived in the meantime.
    private func sent() async throws {
        guard let connection, found == nil else { return }
        let isSent = await (try? sending?.get()) != nil || sending == nil
        sending = nil
        guard !isSent || connection.hasReply else { return }
        switch try await connection.reply(within: scanner.limits.progress).verdict {
        case .clean: throw ScannerUnavailable("it replied OK before it had every byte")
        case let verdict: found = verdict
        }
    }

    private func askForVerdict() async throws -> ScanVerdict {
        let connection = try await connected()
        let permit = try await scanner.verdictPermit()
        guard !isAborted else { throw ScannerUnavailable("the scan was aborted") }
        let limits = scanner.limits
        let ending = connection.sendEnd(within: limits.progress, holding: permit, longestScan: limits.longestScan)
        let isSent = await (try? ending.get()) != nil
        // Read the reply even if sending failed: clamd sends a reason before it closes the connection.
        let verdict = try await connection.reply(within: limits.verdict).verdict
        if verdict == .clean, !isSent { throw ScannerUnavailable("it replied OK before it had every byte") }
        return verdict
    }

    // MARK: The connection

    private func connected() async throws -> ClamdConnection {
        if let connection { return connection }
        guard !isAborted else { throw ScannerUnavailable("the scan was aborted") }
        let opened = try await open()
        // The scan was aborted while this method waited, so it must close the new connection itself.
        guard !isAborted else {
            opened.close()
            throw ScannerUnavailable("the scan was aborted")
        }
        connection = opened
        return opened
    }

    /// - Throws: `ScanPostponed`; `ScannerUnavailable`.
    private func open() async throws -> ClamdConnection {
        // After the last byte, the client no longer decides how long the scan takes, so the file may wait for any connection.
        guard isArriving, !isEnded else { return try await scanner.connect(Self.command) }
        guard let opened = try await scanner.connectStream(Self.command) else { throw ScanPostponed() }
        return opened
    }

    private func release() {
        guard let connection = connection.take() else { return }
        sending = nil
        spare = ByteBuffer()
        connection.close()
    }

    private func end(_ error: any Error) -> any Error {
        let failure = error as? ScannerUnavailable ?? ScannerUnavailable("the connection broke (\(ConnectionFault(error).words))")
        if !isAborted, !Task.isCancelled {
            scanner.logger.warning("a file could not be scanned", metadata: ["reason": "\(failure.reason)"])
        }
        abort()
        return failure
    }
}
