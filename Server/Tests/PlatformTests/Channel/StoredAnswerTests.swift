import Core
import Foundation
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

@Suite("Responses that have no room in memory", .serialized, .blocksThreads)
struct StoredAnswerTests {
    private static let page = "GET /page HTTP/1.1\r\nHost: a\r\n\r\n"

    /// All networks together may hold three responses of 1 MiB, and one network two.
    private static var limits: ChannelLimits {
        var limits = ChannelLimits()
        limits.madeAnswerByteCount = 6 << 20
        return limits
    }

    /// Uses up the memory with responses that nobody reads.
    private static func fill(_ server: AnswerServer) async throws -> [RawConnection] {
        let unread = try ["127.0.0.1", "127.0.0.1", "127.0.0.2"].map {
            try RawConnection(port: server.server.port, from: $0, receiveByteCount: 32_768)
        }
        for client in unread { try client.send(page) }
        let isFull = await server.eventually {
            server.gauge("keepsake_answers_in_flight") == 3 && server.gauge("keepsake_answer_bytes") >= 3 << 20
        }
        #expect(isFull)
        return unread
    }

    /// The number of this process's open files in the folder, although they have no name any more.
    private static func openFiles(in folder: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.count { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.hasPrefix(folder) == true
        }
    }

    @Test("the server sends them from the disk, and deletes their files afterwards", arguments: [false, true], [false, true])
    func stored(isHTTP2: Bool, madeInTurn: Bool) async throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        try await AnswerServer.run(Self.limits, temporary: folder) { server in
            let unread = try await Self.fill(server)
            let path = madeInTurn ? "/made" : "/page"
            let byteCount = madeInTurn ? 2_000_000 : AnswerServer.page.count
            let expected = madeInTurn ? [UInt8](repeating: 32, count: byteCount) : AnswerServer.page
            var (bytes, clients) = ([UInt8](), [Any]())
            if isHTTP2 {
                let client = try RawHTTP2(port: server.server.port, window: 0, from: "127.0.0.3")
                clients.append(client)
                try client.request(1, "GET", path, ends: true)
                #expect(RawHTTP2.status(try client.frame { $0.stream == 1 && $0.type == RawHTTP2.headers }) == 200)
                #expect(server.gauge("keepsake_answer_disk_bytes") == byteCount)
                try client.send(RawHTTP2.windowUpdate, payload: RawHTTP2.bytes(20_000_000))
                try client.send(RawHTTP2.windowUpdate, stream: 1, payload: RawHTTP2.bytes(20_000_000))
                while bytes.count < byteCount {
                    bytes += try client.frame { $0.stream == 1 && $0.type == RawHTTP2.data }.payload
                }
            } else {
                let client = try RawConnection(port: server.server.port, from: "127.0.0.3", receiveByteCount: 32_768)
                clients.append(client)
                try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try client.head()
                #expect(head.status == 200 && head.headers["content-length"] == "\(byteCount)", "\(head)")
                #expect(server.gauge("keepsake_answer_disk_bytes") == byteCount && Self.openFiles(in: folder) == 1)
                bytes = try client.bytes(byteCount)
            }
            let isWhole = bytes == expected
            #expect(isWhole)
            // The connection is still open.
            let isDeleted = await server.eventually { server.gauge("keepsake_answer_disk_bytes") == 0 }
            #expect(isDeleted && Self.openFiles(in: folder) == 0)
            for client in unread { client.close() }
            let isFree = await server.eventually {
                server.gauge("keepsake_answer_bytes") == 0 && server.gauge("keepsake_answers_in_flight") == 0
            }
            #expect(isFree)
            withExtendedLifetime(clients) {}
        }
    }

    @Test("the response of a request that may have changed something is sent although its network reads none of its lists")
    func afterChanges() async throws {
        let folder = try TemporaryFolder()
        var limits = Self.limits
        limits.storedAnswers = .init(total: 3_000_000, perAccount: 1_000_000, perNetwork: 1_000_000)
        limits.answersToChanges = .init(total: 3_000_000, perAccount: 1_000_000, perNetwork: 1_000_000)
        try await AnswerServer.run(limits, temporary: folder.path) { server in
            let unread = try await Self.fill(server)
            var clients: [RawConnection] = []
            func status(_ method: String) throws -> Int {
                let client = try RawConnection(port: server.server.port, from: "127.0.0.1", receiveByteCount: 32_768)
                try client.send("\(method) /page HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                clients.append(client)
                return try client.head().status
            }
            #expect(try ["GET", "POST", "GET", "POST", "POST"].map { try status($0) } == [429, 200, 429, 200, 429])
            #expect(server.gauge("keepsake_answer_disk_bytes") == 2_000_000)
            #expect(try clients[1].bytes(AnswerServer.page.count) == AnswerServer.page)
            for client in unread + clients { client.close() }
            let isFree = await server.eventually {
                server.gauge("keepsake_answer_disk_bytes") == 0 && server.gauge("keepsake_answers_in_flight") == 0
            }
            #expect(isFree)
        }
    }

    @Test("the share of a network and of all on the disk is bounded; then, and when nothing can be written, they are refused")
    func bounded() async throws {
        let folder = try TemporaryFolder()
        var limits = Self.limits
        limits.storedAnswers = .init(total: 3_000_000, perAccount: 1_000_000, perNetwork: 2_000_000)
        try await AnswerServer.run(limits, temporary: folder.path) { server in
            let unread = try await Self.fill(server)
            var stored: [RawConnection] = []
            func status(_ address: String) throws -> Int {
                let client = try RawConnection(port: server.server.port, from: address, receiveByteCount: 32_768)
                try client.send(Self.page)
                stored.append(client)
                return try client.head().status
            }
            #expect(try (0..<3).map { _ in try status("127.0.0.3") } == [200, 200, 429])
            #expect(try ["127.0.0.4", "127.0.0.5"].map { try status($0) } == [200, 503])
            stored[0].close()
            let isFree = await server.eventually { server.gauge("keepsake_answer_disk_bytes") == 2_000_000 }
            #expect(isFree)
            #expect(try status("127.0.0.5") == 200)
            withExtendedLifetime(unread) {}
        }
        try await AnswerServer.run(Self.limits, temporary: "/proc/none") { server in
            let unread = try await Self.fill(server)
            let client = try RawConnection(port: server.server.port, from: "127.0.0.3")
            try client.send(Self.page)
            let refusal = try client.answer()
            #expect(refusal.status == 503 && refusal.headers["retry-after"] == "5", "\(refusal)")
            let isReleased = await server.eventually { server.gauge("keepsake_answers_in_flight") == unread.count }
            #expect(isReleased && server.gauge("keepsake_answer_disk_bytes") == 0)
        }
    }
}
