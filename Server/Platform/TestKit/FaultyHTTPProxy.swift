internal import Foundation
internal import Synchronization

/// An HTTP/1.1 proxy on loopback that lets a test break single requests: refuse them, lose them, lose or damage their responses. It passes
/// on one request per connection and is transparent otherwise, so that signatures stay valid.
package final class FaultyHTTPProxy: Sendable {
    package struct Request: Sendable {
        package let method: String
        /// The path and the query.
        package let target: String
        /// The request line and the header lines.
        package let head: String
    }

    package enum Fault: Sendable, Equatable {
        case none
        /// Answers without the server; it never sees the request.
        case refuse(status: String, body: String)
        /// Closes the connection; the server never sees the request.
        case lose
        /// Lets the server answer, and closes the connection instead of passing the answer on.
        case loseResponse
        /// Sends the request to the server twice, and passes the second response on.
        case replay
        /// Passes on half of the response: of its body, or of its head if it has no body.
        case truncate
        /// Changes the digits of every ETag in the response's head and body.
        case damageTags
        /// Passes on the head and waits for this time before the body.
        case stall(Duration)
    }

    package typealias Rule = @Sendable (Request) -> Fault
    /// Changes a request's head, which ends with an empty line.
    package typealias Rewrite = @Sendable (_ head: String) -> String

    package let port: Int
    private let target: Int
    private let listener: CInt
    private let rule: Mutex<Rule>
    private let rewrite: Rewrite

    /// - Parameters:
    ///   - rule: called for each request, on any thread.
    ///   - rewrite: called for each request that is passed on, on any thread.
    package init(toPort target: Int, _ rule: @escaping Rule = { _ in .none }, rewriting rewrite: @escaping Rewrite = { $0 }) throws {
        self.target = target
        self.rewrite = rewrite
        self.rule = Mutex(rule)
        let (listener, port) = try StreamSocket.listen()
        self.listener = listener
        self.port = port
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                guard let self else {
                    Foundation.close(client)
                    return
                }
                Thread.detachNewThread {
                    self.serve(client)
                    Foundation.close(client)
                }
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        Foundation.close(listener)
    }

    package func set(_ new: @escaping Rule) { rule.withLock { $0 = new } }

    // MARK: One connection

    private func serve(_ client: CInt) {
        guard let (head, body) = Self.receiveRequest(client) else { return }
        let first = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard first.count == 3 else { return }
        let fault = rule.withLock { $0 }(Request(method: String(first[0]), target: String(first[1]), head: head))
        switch fault {
        case .refuse(let status, let text):
            let answer =
                "HTTP/1.1 \(status)\r\nContent-Type: application/xml\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
            Self.send(client, Array((answer + (first[0] == "HEAD" ? "" : text)).utf8))
        case .lose: return
        case .none, .loseResponse, .replay, .truncate, .damageTags, .stall:
            let head = rewrite(head)
            if fault == .replay { _ = forward(head, body) }
            guard var response = forward(head, body) else { return }
            let end = Self.headEnd(of: response) ?? response.count
            switch fault {
            case .loseResponse: return
            case .truncate:
                let kept = end < response.count ? end + (response.count - end) / 2 : end / 2
                Self.send(client, Array(response[..<kept]))
            case .damageTags:
                Self.damage(&response)
                Self.send(client, response)
            case .stall(let time):
                Self.send(client, Array(response[..<end]))
                usleep(UInt32(time / .microseconds(1)))
                Self.send(client, Array(response[end...]))
            default: Self.send(client, response)
            }
        }
    }

    /// - Returns: the server's whole response; `nil` without one.
    private func forward(_ head: String, _ body: [UInt8]) -> [UInt8]? {
        let server = StreamSocket.make()
        defer { Foundation.close(server) }
        guard StreamSocket.connect(server, toPort: target) else { return nil }
        // With `Connection: close`, the response ends when the server closes the connection, whatever its framing is.
        let lines = head.dropLast(2).components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("connection:") }
        let changed = (lines.filter { !$0.isEmpty } + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
        guard Self.send(server, Array(changed.utf8) + body) else { return nil }
        var response: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 262_144)
        while case let count = recv(server, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
        return response.isEmpty ? nil : response
    }

    // MARK: Messages

    /// - Returns: the head with its empty line, and the body; `nil` when the client sent no whole request.
    private static func receiveRequest(_ client: CInt) -> (head: String, body: [UInt8])? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 262_144)
        var end: Int?
        while end == nil {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0, bytes.count < 65_536 else { return nil }
            bytes += buffer[..<count]
            end = headEnd(of: bytes)
        }
        guard let end else { return nil }
        let head = String(decoding: bytes[..<end], as: UTF8.self)
        let length = head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        var body = Array(bytes[end...])
        while body.count < length ?? 0 {
            let count = recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            body += buffer[..<count]
        }
        return (head, body)
    }

    /// - Returns: where the body begins.
    private static func headEnd(of bytes: [UInt8]) -> Int? {
        let mark: [UInt8] = [13, 10, 13, 10]
        guard bytes.count >= 4 else { return nil }
        // Only the beginning is searched, because a head is short and a body may be long.
        return (0...min(bytes.count - 4, 65_536)).first { bytes[$0] == 13 && Array(bytes[$0..<$0 + 4]) == mark }.map { $0 + 4 }
    }

    /// Replaces the first digit of each ETag.
    private static func damage(_ bytes: inout [UInt8]) {
        let limit = min(bytes.count, 65_536)
        let text = String(decoding: bytes[..<limit], as: UTF8.self)
        guard text.utf8.count == limit else { return }
        let changed = text.replacing(/(?i)(etag(?:: "?|>(?:&quot;|")?))([0-9a-f])/) { match in
            "\(match.output.1)\(match.output.2 == "0" ? "1" : "0")"
        }
        bytes.replaceSubrange(..<limit, with: Array(changed.utf8))
    }

    @discardableResult
    private static func send(_ socket: CInt, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { Foundation.send(socket, $0.baseAddress! + sent, bytes.count - sent, StreamSocket.flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
