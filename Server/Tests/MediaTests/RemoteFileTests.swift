import Blobs
import Core
import Foundation
import HTTPServer
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Checks what the server requests from radosgw while it serves a file. A proxy between the two records the requests.
@Suite("Files that are read from an object store", .blocksThreads)
struct RemoteFileTests {
    private static let film = Film.bytes(40 << 20)

    /// The requests for objects since the last call.
    private final class Requests: Sendable {
        private let seen = Mutex<[String]>([])

        func add(_ request: FaultyHTTPProxy.Request) {
            // Requests for lists and uploads have a query, so they are not counted.
            guard request.target.contains("/blobs/"), !request.target.contains("?") else { return }
            seen.withLock { $0.append(request.method) }
        }

        func take() -> [String] {
            seen.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }
    }

    private func upload(_ name: String, _ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file(name, content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data
    }

    private func path(_ file: FileData, _ server: TestServer) -> String { String(file.url.dropFirst(server.url.count)) }

    // MARK: Requests

    @Test("a download or a range is one request to the store, HEAD and 304 are none, and an upload is not read back to be examined")
    func requests() async throws {
        let requests = Requests()
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            requests.add(request)
            return .none
        }
        let bucket = try TestBucket(port: proxy.port)
        try await TestServer.run(.shared, { $0.blobs = bucket.address }) { server in
            let ada = try await server.person()
            let film = Film.bytes(3_000_000)
            let file = try await upload("a.mp4", film, server, as: ada)
            let reads = requests.take().filter { $0 == "GET" || $0 == "HEAD" }
            #expect(reads == [])

            let whole = try await server.send("GET", file.url)
            #expect(whole.status == 200 && whole.body == film && requests.take() == ["GET"])
            let part = try await server.send("GET", file.url, headers: [("Range", "bytes=1000-1999999")])
            #expect(part.status == 206 && part.body == film[1_000..<2_000_000] && requests.take() == ["GET"])
            let small = try await server.send("GET", file.url, headers: [("Range", "bytes=-7")])
            #expect(small.status == 206 && small.body == film.suffix(7) && requests.take() == ["GET"])
            let head = try await server.send("HEAD", file.url)
            #expect(head.status == 200 && head.header("Content-Length") == "3000000")
            let same = try await server.send("GET", file.url, headers: [("If-None-Match", whole.header("ETag") ?? "")])
            #expect(same.status == 304)
            let beyond = try await server.send("GET", file.url, headers: [("Range", "bytes=3000000-")])
            #expect(beyond.status == 416 && requests.take() == [])
        }
    }

    @Test("every way of receiving a large file from the store gives the whole file", arguments: ["--http1.1", "--http2-prior-knowledge"])
    func protocols(_ option: String) async throws {
        try await TestServer.run(.shared) { server in
            let film = Film.bytes(12 << 20, isRandom: true)
            let file = try await upload("a.mp4", film, server, as: server.person())
            let folder = try TemporaryFolder()
            try await BlockingThreads.run {
                let curl = try ServerProcess.run(
                    ["curl", "-sS", option, "--max-time", "60", "-o", folder.path + "/a.mp4", file.url], binary: "/usr/bin/env")
                #expect(curl.status == 0, "\(curl.errors)")
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.mp4")) == film)
        }
    }

    @Test("a file whose object is missing is an error before any of it is sent", arguments: [20_000, 3_000_000])
    func missing(byteCount: Int) async throws {
        let stores = try TestStores(.shared, tables: "server")
        try await TestServer.run(.shared, on: stores) { server in
            let file = try await upload("a.mp4", Film.bytes(byteCount), server, as: server.person())
            for object in try await stores.objects().list() { try await stores.objects().delete(object.name) }
            let answer = try await server.send("GET", file.url)
            #expect(answer.status == 500 && answer.header("Content-Length") != String(byteCount))
            // HEAD reads only the row, so it does not notice that the object is missing.
            #expect(try await server.send("HEAD", file.url).status == 200)
        }
    }

    // MARK: Slow clients

    @Test("a client that stops reading stops the request to the store, and one that disconnects ends it")
    func slow() async throws {
        let passed = Atomic(0)
        let proxy = try Proxy(toPort: CephService.sharedPort)
        defer { proxy.close() }
        let bucket = try TestBucket(port: proxy.port)
        try await TestServer.run(.shared, { $0.blobs = bucket.address }) { server in
            let file = try await upload("a.mp4", Self.film, server, as: server.person())
            proxy.set { bytes, direction in
                if direction == .toClient { passed.add(bytes.count, ordering: .relaxed) }
                return .pass
            }
            let connection = try RawConnection(port: server.port, receiveByteCount: 65_536)
            try connection.send("GET \(path(file, server)) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(try connection.head().status == 200)
            // Wait until the buffers of the sockets in between are full.
            var last = -1
            while passed.load(ordering: .relaxed) != last {
                last = passed.load(ordering: .relaxed)
                try await Task.sleep(for: .milliseconds(500))
            }
            // The kernel buffers up to 6 MB for each of the two connections, and the server far less.
            #expect(last > 0 && last < 24 << 20, "\(last) bytes of \(Self.film.count)")

            let open = proxy.openCount
            connection.close()
            // The connection ends well before idle connections are closed, which happens after 20 seconds.
            let time = try await ContinuousClock().measure { try await eventually { proxy.openCount < open } }
            #expect(time < .seconds(10))
            #expect(passed.load(ordering: .relaxed) < Self.film.count)
        }
    }

    @Test("a slow client gets the whole file, and the others theirs meanwhile")
    func patient() async throws {
        try await TestServer.run(.shared) { server in
            let ada = try await server.person()
            let film = Film.bytes(12 << 20, isRandom: true)
            let file = try await upload("a.mp4", film, server, as: ada)
            let connection = try RawConnection(port: server.port, receiveByteCount: 65_536)
            try connection.send("GET \(path(file, server)) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(try connection.head().status == 200)
            try await Task.sleep(for: .milliseconds(500))
            #expect(try await server.send("GET", file.url).body == film)
            let slow = Data(try connection.bytes(film.count))
            #expect(slow == film)
        }
    }

    @Test("downloads of one network that hold a connection to the store are bounded, and short files are not counted")
    func bounded() async throws {
        try await TestServer.run(.shared, { $0.channelLimits.remoteAnswersPerNetwork = 2 }) { server in
            let ada = try await server.person()
            let file = try await upload("a.mp4", Self.film, server, as: ada)
            let photo = try await upload("a.png", try Fixture.data("palette.png"), server, as: ada)
            let held = try (0..<2).map { _ in
                let connection = try RawConnection(port: server.port, receiveByteCount: 65_536)
                try connection.send("GET \(path(file, server)) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                #expect(try connection.head().status == 200)
                return connection
            }
            let refused = try await server.send("GET", file.url)
            #expect(refused.status == 429 && refused.header("Retry-After") != nil)
            #expect(try await server.send("GET", photo.url).status == 200)
            for connection in held { connection.close() }
            try await eventually { try await server.send("GET", file.url, headers: [("Range", "bytes=0-999999")]).status == 206 }
        }
    }
}
