import Core
import Foundation
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Places in the queue of those who ask for the same smaller copy", .blocksThreads)
struct VariantPlaceTests {
    /// Runs a server that stores one photo of Ada's, and whose only media worker is stopped until `resume` is called.
    private func withStoppedWorker(
        queuePerRequester: Int = 128,
        _ test: @Sendable (TestServer, TestServer.Person, FileData, _ resume: @Sendable () -> Void) async throws -> Void
    ) async throws {
        try await TestServer.run(
            .embedded,
            {
                $0.mediaWorker.workers = 1
                $0.mediaWorker.isKeptWarm = true
                $0.mediaWorker.queuePerRequester = queuePerRequester
            }
        ) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let file = try answer.decode(UploadResponse.self).files[0].data
            let worker = try #require(server.backend.workers.processes.first)
            kill(worker, SIGSTOP)
            try await test(server, ada, file) { kill(worker, SIGCONT) }
        }
    }

    @Test("an account and a network each have a place for the same copy, and it is made once")
    func places() async throws {
        try await withStoppedWorker { server, ada, file, resume in
            let workers = server.backend.workers
            let before = workers.taken
            let path = String(file.appUrl.dropFirst(server.url.count))
            async let other = server.send("GET", "\(path)?w=64", as: ada).status
            try await eventually { workers.taken == before + 1 }
            async let linked = server.send("GET", "\(file.url)&w=128").header("ETag")
            try await eventually { workers.waiting == 1 }
            async let own = server.send("GET", "\(path)?w=128", as: ada).header("ETag")
            try await eventually { workers.waiting == 2 }
            resume()
            let (status, first, second) = (try await other, try await linked, try await own)
            #expect(status == 200 && first != nil && first == second)
            #expect(workers.taken == before + 2)
            #expect(await server.copies.madeCount == 2)
            try await server.settleCopies()
            #expect(try await server.storedCopyCount() == 2)
        }
    }

    @Test("a requester whose own jobs fill their part of the queue waits for a copy in the place of another requester of it")
    func full() async throws {
        try await withStoppedWorker(queuePerRequester: 1) { server, ada, file, resume in
            let workers = server.backend.workers
            let before = workers.taken
            let path = String(file.appUrl.dropFirst(server.url.count))
            async let first = server.send("GET", "\(path)?w=64", as: ada).status
            try await eventually { workers.taken == before + 1 }
            async let second = server.send("GET", "\(path)?w=256", as: ada).status
            try await eventually { workers.waiting == 1 }
            async let linked = server.send("GET", "\(file.url)&w=128").status
            try await eventually { workers.waiting == 2 }
            #expect(try await server.send("GET", "\(path)?w=384", as: ada).status == 429)
            async let own = server.send("GET", "\(path)?w=128", as: ada).status
            // Waits long enough for the server to refuse the request.
            try await Task.sleep(for: .milliseconds(200))
            #expect(workers.waiting == 2)
            resume()
            let statuses = (try await first, try await second, try await linked, try await own)
            #expect(statuses == (200, 200, 200, 200))
            #expect(await server.copies.madeCount == 3)
        }
    }
}
