internal import Foundation
internal import Synchronization

/// An HTTP/1.1 server on loopback that refuses every request without reading its body, as a store does that is too busy. It waits a moment
/// first, so that a sender of a large body has filled the socket's buffers and waits. The connections stay open until the server is
/// released.
package final class RefusingServer: Sendable {
    package let port: Int
    private let listener: CInt
    private let response: [UInt8]
    private let clients = Mutex<[CInt]>([])

    /// - Parameter status: the code and the reason, for example `503 Slow Down`.
    package init(status: String, body: String) throws {
        response = Array("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
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
                self.clients.withLock { $0.append(client) }
                self.refuse(client)
            }
        }
    }

    deinit {
        shutdown(listener, CInt(SHUT_RDWR))
        Foundation.close(listener)
        for client in clients.withLock({ $0 }) { Foundation.close(client) }
    }

    private func refuse(_ client: CInt) {
        // The head, and at most the beginning of the body.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        guard recv(client, &buffer, buffer.count, 0) > 0 else { return }
        usleep(200_000)
        _ = response.withUnsafeBytes { send(client, $0.baseAddress, $0.count, StreamSocket.flags) }
    }
}
