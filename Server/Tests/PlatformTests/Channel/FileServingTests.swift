import Blobs
import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import HTTPServer
@testable import Web

/// How files reach clients: small ones together with the head, large ones by sendfile on plain HTTP/1.1 and through a window otherwise.
@Suite("Serving files", .serialized, .blocksThreads)
struct FileServingTests {
    /// A server for files of any length at `/files/{byteCount}`.
    private struct FileServer {
        let server: ChannelServer
        let store: LocalBlobStore
        let folder: String
        let blobs: [Int: StagedBlob]

        func path(_ byteCount: Int) -> String {
            let key = blobs[byteCount]!.key.text
            return "\(folder)/blobs/\(key.prefix(2))/\(key)"
        }

        /// The number of the store's files that this process has open.
        var openCount: Int {
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return descriptors.filter {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(folder + "/blobs") == true
            }.count
        }

        func gauge(_ name: String) -> Int {
            let line = server.metrics.page().split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
        }

        /// Waits until `isSo` returns true, for at most ten seconds.
        func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
            for _ in 0..<1_000 {
                if try isSo() { return true }
                try? await Task.sleep(for: .milliseconds(10))
            }
            return false
        }
    }

    private static func serving<T: Sendable>(
        _ byteCounts: [Int], keptOpen: Int = 0, _ limits: ChannelLimits = ChannelLimits(), identity: TestIdentity? = nil,
        _ test: @escaping @Sendable (FileServer) async throws -> T
    ) async throws -> T {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true, keptOpen: keptOpen)
        var blobs: [Int: StagedBlob] = [:]
        for count in byteCounts { blobs[count] = try await BlobStoreSuite.put(content(count), in: store) }
        let served = blobs
        let result = try await ChannelServer.run(
            limits, identity: identity,
            routes: { router in
                for method in [HTTPRequest.Method.get, .head] {
                    router.on("/files/:count", method: method) { request, context in
                        guard let blob = context.parameters.get("count").flatMap({ Int($0) }).flatMap({ served[$0] }) else {
                            throw Problem(.notFound, "There is no such file.")
                        }
                        let file = ServedFile(
                            byteCount: blob.byteCount, contentType: "image/jpeg", fileName: "a.jpg", sha256: blob.sha256,
                            modifiedAt: Timestamp(seconds: 1)
                        ) { try await store.openShared(blob.key) }
                        let response = try await file.response(to: request, context)
                        return method == .head ? response.createHeadResponse() : response
                    }
                }
            }
        ) { server in try await test(FileServer(server: server, store: store, folder: folder.path, blobs: served)) }
        await store.close()
        return result
    }

    private static func content(_ byteCount: Int) -> [UInt8] { BlobStoreSuite.bytes(byteCount, seed: UInt64(byteCount)) }

    private static func request(_ byteCount: Int, _ fields: String = "") -> String {
        "GET /files/\(byteCount) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    /// Lengths around the limits at which the server changes how it sends a file: 16 KiB, 60 KiB and regions of 1 MiB.
    private static let lengths = [1, 16_384, 16_385, 20_000, 61_440, 61_441, 1_048_576, 1_048_577, 3_500_000]

    @Test("every length arrives whole, several times over one connection, whether the kernel sends it or not", arguments: [1_048_576, 0])
    func whole(_ regionByteCount: Int) async throws {
        var limits = ChannelLimits()
        limits.regionByteCount = regionByteCount
        try await Self.serving(Self.lengths, keptOpen: 4, limits) { server in
            let client = try RawConnection(port: server.server.port)
            for _ in 0..<2 {
                for length in Self.lengths {
                    try client.send(Self.request(length))
                    let answer = try client.answer()
                    let isWhole = answer.body == Self.content(length)
                    #expect(answer.status == 200 && isWhole, "\(length)")
                }
            }
            // All requests arrive together, and the responses come in the same order.
            try client.send(Self.lengths.map { Self.request($0) }.joined())
            for length in Self.lengths {
                let isWhole = try client.answer().body == Self.content(length)
                #expect(isWhole, "\(length)")
            }
            let isFree = await server.eventually {
                server.gauge("keepsake_answers_in_flight") == 0 && server.gauge("keepsake_answer_bytes") == 0
            }
            #expect(isFree)
        }
    }

    @Test("every length arrives whole over TLS and HTTP/2", arguments: ["--http1.1", "--http2"])
    func encrypted(_ way: String) async throws {
        try await Self.serving(Self.lengths, keptOpen: 4, identity: try TestIdentity()) { server in
            let folder = try TemporaryFolder()
            for length in Self.lengths {
                let path = "\(folder.path)/\(length)"
                _ = try ServerProcess.run(["-c", "curl -sk \(way) -o '\(path)' \(server.server.url)/files/\(length)"], binary: "/bin/sh")
                let isWhole = FileManager.default.contents(atPath: path).map { Array($0) } == Self.content(length)
                #expect(isWhole, "\(length)")
            }
        }
    }

    @Test("ranges, HEAD and conditions of a file that the kernel sends")
    func parts() async throws {
        let length = 3_500_000
        try await Self.serving([length]) { server in
            let client = try RawConnection(port: server.server.port)
            let content = Self.content(length)
            for range in [0..<1, 1..<70_001, 4_095..<2_100_000, 1_048_575..<1_048_577, 3_400_000..<3_500_000] {
                try client.send(Self.request(length, "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)\r\n"))
                let part = try client.answer()
                let isSame = part.body == Array(content[range])
                #expect(part.status == 206 && isSame, "\(range)")
            }
            try client.send("HEAD /files/\(length) HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try client.answer(toHead: true)
            #expect(head.headers["content-length"] == "\(length)")
            let etag = try #require(head.headers["etag"])
            try client.send(Self.request(length, "If-None-Match: \(etag)\r\n"))
            #expect(try client.answer().status == 304)
            try client.send(Self.request(length))
            let isWhole = try client.answer().body == content
            #expect(isWhole)
        }
    }

    @Test("a file that is not in the page cache arrives whole", arguments: [20_000, 3_500_000])
    func uncached(_ length: Int) async throws {
        try await Self.serving([length]) { server in
            let descriptor = open(server.path(length), O_RDONLY)
            defer { close(descriptor) }
            let client = try RawConnection(port: server.server.port)
            for _ in 0..<3 {
                #expect(posix_fadvise(descriptor, 0, 0, CInt(POSIX_FADV_DONTNEED)) == 0)
                try client.send(Self.request(length))
                let isWhole = try client.answer().body == Self.content(length)
                #expect(isWhole)
            }
        }
    }

    @Test("a truncated file ends the connection before the response looks complete, and frees the slot", arguments: [1_700_000, 3_499_999])
    func truncated(_ rest: Int) async throws {
        let length = 3_500_000
        try await Self.serving([length]) { server in
            #expect(truncate(server.path(length), off_t(rest)) == 0)
            let client = try RawConnection(port: server.server.port)
            try client.send(Self.request(length))
            #expect(try client.head().status == 200)
            #expect(throws: RawConnection.Failure.self) { try client.bytes(length) }
            let isFree = await server.eventually { server.gauge("keepsake_answers_in_flight") == 0 && server.openCount == 0 }
            #expect(isFree)
        }
    }

    @Test("a small truncated file is an error before the head")
    func smallTruncated() async throws {
        try await Self.serving([20_000]) { server in
            #expect(truncate(server.path(20_000), 19_999) == 0)
            let client = try RawConnection(port: server.server.port)
            try client.send(Self.request(20_000))
            #expect(try client.answer().status == 500)
        }
    }

    @Test("clients that disconnect during a file leave neither slot nor descriptor", arguments: [0, 1_048_576])
    func hungUp(_ regionByteCount: Int) async throws {
        let length = 8_000_000
        var limits = ChannelLimits()
        limits.regionByteCount = regionByteCount
        try await Self.serving([length], limits) { server in
            let clients = try (0..<20).map { _ in try RawConnection(port: server.server.port, receiveByteCount: 32_768) }
            for client in clients { try client.send(Self.request(length)) }
            let areSent = await server.eventually { server.gauge("keepsake_answers_in_flight") == 20 && server.openCount == 20 }
            #expect(areSent)
            for client in clients { client.close() }
            let isFree = await server.eventually { server.gauge("keepsake_answers_in_flight") == 0 && server.openCount == 0 }
            #expect(isFree, "\(server.openCount) open")
            #expect(server.gauge("keepsake_answer_bytes") == 0)
        }
    }

    @Test("a fast reader gets more unsent bytes while its network has a share of them, and returns them before the end of the file")
    func fastReader() async throws {
        let length = 40_000_000
        var limits = ChannelLimits()
        let share = limits.fastUnsentByteCount
        limits.fastUnsent = SharedBudget.Limits(total: 4 * share, perAccount: share, perNetwork: share)
        try await Self.serving([length], limits) { server in
            let content = Self.content(length)
            func held() -> Int { server.gauge("keepsake_answer_unsent_bytes") }
            /// Reads until the share is held or `most` bytes have arrived, and checks them.
            func read(_ client: RawConnection, until isEnough: () -> Bool, most: Int) throws -> Int {
                try client.send(Self.request(length))
                #expect(try client.head().status == 200)
                var count = 0
                while count < most, !isEnough() {
                    let isRight = try client.bytes(500_000) == Array(content[count..<count + 500_000])
                    #expect(isRight)
                    count += 500_000
                }
                return count
            }
            let first = try RawConnection(port: server.server.port)
            let count = try read(first, until: { held() == share }, most: 30_000_000)
            #expect(held() == share, "after \(count) bytes")
            // The first client no longer reads. Its network has no share left for a second client, but another network has one.
            let second = try RawConnection(port: server.server.port)
            _ = try read(second, until: { held() > share }, most: 10_000_000)
            #expect(held() == share)
            let other = try RawConnection(port: server.server.port, from: "127.0.0.9")
            _ = try read(other, until: { held() == 2 * share }, most: 30_000_000)
            #expect(held() == 2 * share)
            other.close()
            second.close()
            let isReturned = await server.eventually { held() == share }
            #expect(isReturned)
            // The client reads all but the last 1,000,000 bytes. Of these, the kernel holds no more than usual.
            let nearEnd = length - 1_000_000
            let isWhole = try first.bytes(nearEnd - count) == Array(content[count..<nearEnd])
            #expect(isWhole)
            let isNarrow = await server.eventually { held() == 0 }
            #expect(isNarrow)
            let isEndWhole = try first.bytes(length - nearEnd) == Array(content[nearEnd...])
            #expect(isEndWhole)
        }
    }

    @Test("many responses share a file's descriptor, and a deletion closes it")
    func sharedDescriptor() async throws {
        let length = 8_000_000
        try await Self.serving([length], keptOpen: 8) { server in
            let clients = try (0..<10).map { _ in try RawConnection(port: server.server.port, receiveByteCount: 32_768) }
            // The first response opens the file.
            try clients[0].send(Self.request(length))
            let isOpen = await server.eventually { server.gauge("keepsake_answers_in_flight") == 1 && server.openCount == 1 }
            #expect(isOpen)
            for client in clients.dropFirst() { try client.send(Self.request(length)) }
            let areSent = await server.eventually { server.gauge("keepsake_answers_in_flight") == 10 }
            #expect(areSent)
            #expect(server.openCount == 1)
            try await server.store.delete(server.blobs[length]!.key)
            let content = Self.content(length)
            for client in clients {
                let answer = try client.answer()
                let isWhole = answer.body == content
                #expect(answer.status == 200 && isWhole)
            }
            let isClosed = await server.eventually { server.openCount == 0 }
            #expect(isClosed)
        }
    }
}
