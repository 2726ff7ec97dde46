import Core
import Database
import Foundation
import HTTPServer
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Smaller copies whose clients disconnected", .blocksThreads, .runsBesideFew)
struct HungUpVariantTests {
    private func upload(_ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file("photo.jpg", content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data
    }

    private func path(_ file: FileData, _ server: TestServer) -> String { String(file.url.dropFirst(server.url.count)) }

    /// Waits until no copy is being rendered, for at most ten seconds.
    private func settled(_ server: TestServer) async throws -> Bool {
        for _ in 0..<1_000 {
            if await server.backend.media.variants.pendingCount == 0 { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test(
        "24 abandoned requests for copies of 97 megapixels delay another account's photo by at most one of them",
        arguments: StoragePair.allCases
    )
    func crowd(_ pair: StoragePair) async throws {
        try await TestServer.run(
            pair,
            {
                // One worker is the worst case, and the minimum, which a machine with one core has.
                $0.mediaWorker.workers = 1
                $0.mediaWorker.isKeptWarm = true
            }
        ) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            let photo = try Fixture.data("photo.jpg")
            _ = try await upload(photo, server, as: bob)
            let large = try await upload(Data(RealFile.large()), server, as: ada)
            let sizes = [64, 128, 256, 384, 512, 768, 1_024, 1_536].flatMap { width in [256, 1_024, 2_048].map { "w=\(width)&h=\($0)" } }
            let connections = try sizes.map { size in
                let connection = try RawConnection(port: server.port)
                try connection.send("GET \(path(large, server))&\(size)&format=webp HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                return connection
            }
            try await Task.sleep(for: .milliseconds(60))
            for connection in connections { connection.close() }
            let delay = try await ContinuousClock().measure { _ = try await upload(photo, server, as: bob) }
            print("another account's photo, behind 24 hung up copies of 97 megapixels: \(delay)")
            #expect(delay < .seconds(3))
            #expect(try await settled(server))
            #expect(try await server.storedCopyCount() <= 4, "what nobody waits for is not made")
        }
    }

    @Test(
        "rendering continues while any client waits for the copy, and stops when the last one disconnects, over HTTP/1.1 and HTTP/2",
        arguments: StoragePair.allCases)
    func last(_ pair: StoragePair) async throws {
        try await TestServer.run(
            pair,
            {
                $0.mediaWorker.isKeptWarm = true
                $0.mediaWorker.abandonedGrace = .milliseconds(10)
            }
        ) { server in
            let ada = try await server.person()
            let large = try await upload(Data(RealFile.large()), server, as: ada)
            func ask(_ query: String) throws -> RawConnection {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET \(path(large, server))&\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                return connection
            }
            let (first, second) = (try ask("w=2048&format=webp"), try ask("w=2048&format=webp"))
            try await Task.sleep(for: .milliseconds(100))
            first.close()
            #expect(try second.answer().status == 200)
            #expect(try await settled(server))
            #expect(try await server.storedCopyCount() == 1)

            // Encoding AVIF takes seconds, so the client disconnects long before the end.
            let only = try ask("w=2048&format=avif&q=95")
            try await Task.sleep(for: .milliseconds(100))
            only.close()
            #expect(try await settled(server))
            #expect(throws: Tool.Failed.self) {
                try Tool.run(
                    "curl",
                    ["-s", "--http2-prior-knowledge", "--max-time", "0.15", "-o", "/dev/null", "\(large.url)&w=1536&format=avif&q=95"])
            }
            #expect(try await settled(server))
            #expect(try await server.storedCopyCount() == 1)
            // A later request gets the copy.
            #expect(try await server.send("GET", "\(large.url)&w=1024&format=webp").status == 200)
            second.close()
        }
    }

    @Test(
        "requests that wait for a copy hold no request slot: with four slots and eight waiting, others are answered at once",
        arguments: StoragePair.allCases)
    func places(_ pair: StoragePair) async throws {
        try await TestServer.run(
            pair,
            {
                $0.mediaWorker.isKeptWarm = true
                $0.channelLimits.requestsInWork = 4
            }
        ) { server in
            let ada = try await server.person()
            let large = try await upload(Data(RealFile.large()), server, as: ada)
            // Encoding AVIF takes seconds.
            let connections = try (0..<8).map { _ in
                let connection = try RawConnection(port: server.port)
                try connection.send(
                    "GET \(path(large, server))&w=2048&format=avif&q=95 HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
                return connection
            }
            try await Task.sleep(for: .milliseconds(200))
            #expect(await server.backend.media.variants.pendingCount == 1)
            for _ in 0..<5 { #expect(try await server.send("GET", "/user/me", as: ada).status == 200) }
            #expect(await server.backend.media.variants.pendingCount == 1, "its control: the copy was being made all the while")
            for connection in connections { connection.close() }
            #expect(try await settled(server))
        }
    }
}
