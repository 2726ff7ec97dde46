import Foundation
import TestKit
import TestThreads
import Testing

@testable import Web

@Suite("RFC 6455, case by case", .blocksThreads)
struct SocketCasesTests {
    @Test func `a server on a port answers every case as the RFC says`() async throws {
        let cases = SocketCase.all
        try await SocketServer.run { server in
            for sample in cases {
                do {
                    let client = try server.connect()
                    for piece in sample.sent {
                        // The earlier chunks may already have ended the connection.
                        do { try client.connection.send(piece) } catch RawConnection.Failure.reset where sample.closes != nil {}
                    }
                    var close: WebSocketClient.Frame?
                    for expected in sample.expected where close == nil {
                        let frame = try client.next()
                        // The server need not reply to a message that arrived right before a protocol error.
                        if frame.opcode == 8, sample.closes != nil {
                            close = frame
                        } else if frame != expected {
                            Issue.record("\(sample.section): \(frame.opcode) instead of \(expected.opcode)")
                        }
                    }
                    if sample.closes == nil { try client.close() }
                    let last = try close ?? client.next()
                    if last.closeCode != sample.closes ?? 1_000 { Issue.record("\(sample.section) \(sample.sent): \(last)") }
                    if !client.connection.isClosedByServer() { Issue.record("\(sample.section): the connection stays") }
                } catch {
                    Issue.record("\(sample.section) \(sample.sent.first?.prefix(20) ?? []): \(error)")
                }
            }
        }
        print("RFC 6455: \(cases.count) cases on a port")
        #expect(cases.count > 200)
    }

    /// `scripts/autobahn.sh` installs Python 2 and the Autobahn suite; no other test needs them.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["KEEPSAKE_CAMPAIGN"] == "autobahn"))
    func `Campaign: the Autobahn test suite finds nothing`() async throws {
        var limits = WebSocketLimits()
        (limits.frameByteCount, limits.messageByteCount, limits.sendByteCount) = (17 * 1_048_576, 17 * 1_048_576, 17 * 1_048_576)
        try await SocketServer.run(limits) { server in
            let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../scripts/autobahn.sh")
                .standardized
            let run = try ServerProcess.run([script.path, "ws://127.0.0.1:\(server.port)/socket"], binary: "/usr/bin/env")
            print(run.output)
            #expect(run.status == 0, "\(run.errors.suffix(2_000))")
        }
    }
}
