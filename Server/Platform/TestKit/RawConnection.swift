import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A blocking socket that sends exactly the given bytes, to test what no HTTP library would send. Every read has a time limit. The suite
/// needs the trait `.blocksThreads`.
///
/// `@unchecked Sendable`: one test uses it, with at most one task that sends and one that reads.
package final class RawConnection: @unchecked Sendable {
    private var descriptor: Int32
    private var received: [UInt8] = []

    package struct Answer: Sendable {
        package let status: Int
        /// Keys in lower case.
        package let headers: [String: String]
        package let body: [UInt8]
        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package enum Failure: Error { case cannotConnect, closed, reset, timedOut, notHTTP }

    /// - Parameters:
    ///   - source: the client's address, in 127.0.0.0/8. The server sees each address as a network of its own.
    ///   - receiveByteCount: size of the kernel's receive buffer (SO_RCVBUF).
    package init(port: Int, timeout: Int = 30, from source: String? = nil, receiveByteCount: Int? = nil) throws {
        try BlockingThreads.check()
        descriptor = StreamSocket.make()
        if let receiveByteCount {
            var size = CInt(receiveByteCount)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        if let source {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr(source)
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
            }
            guard bound == 0 else { throw Failure.cannotConnect }
        }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard StreamSocket.connect(descriptor, toPort: port) else { throw Failure.cannotConnect }
    }

    deinit { close() }

    package func close() {
        if descriptor >= 0 { _ = shutdownAndClose(descriptor) }
        descriptor = -1
    }

    /// Closes the connection with RST instead of FIN, as after the loss of a network.
    package func reset() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Closes the sending side; the server's bytes can still be read.
    package func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// - Throws: `.reset` when the server no longer accepts bytes.
    package func send(_ bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress! + sent, bytes.count - sent, StreamSocket.flags) }
            guard count > 0 else { throw errno == EAGAIN ? Failure.timedOut : Failure.reset }
            sent += count
        }
    }

    /// Reads the next response; an informational response counts as one.
    package func answer(toHead: Bool = false) throws -> Answer {
        let head = try head()
        let status = head.status
        let length = toHead || status < 200 || status == 204 || status == 304 ? 0 : Int(head.headers["content-length"] ?? "0") ?? 0
        return Answer(status: status, headers: head.headers, body: try bytes(length))
    }

    /// Reads the head of the next response. The caller must read its body.
    package func head() throws -> Answer {
        var end = headEnd()
        while end == nil {
            guard try fill() else { throw Failure.closed }
            end = headEnd()
        }
        let lines = String(decoding: received[..<end!], as: UTF8.self).components(separatedBy: "\r\n")
        received.removeFirst(end! + 4)
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { throw Failure.notHTTP }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Failure.notHTTP }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return Answer(status: status, headers: headers, body: [])
    }

    /// Reads the next bytes without interpreting them.
    package func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try fill() else { throw Failure.closed }
        }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// Whether the server has closed its side; waits at most the read timeout.
    package func isClosedByServer() -> Bool {
        do {
            while try fill() {}
            return true
        } catch { return (error as? Failure) == .reset }
    }

    private func headEnd() -> Int? {
        guard received.count >= 4 else { return nil }
        return (0...received.count - 4).first { Array(received[$0..<$0 + 4]) == [13, 10, 13, 10] }
    }

    /// - Returns: false at the end of the stream.
    private func fill() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw errno == EAGAIN ? Failure.timedOut : Failure.reset }
        received += buffer.prefix(count)
        return count > 0
    }
}

// Inside the class, its methods of the same names shadow the C functions.
private func shutdownAndClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
