import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

/// An account stores the same bytes once. So a copy that was downloaded and uploaded again is both a file and the copy of another file.
@Suite("Smaller copies that were uploaded as files", .blocksThreads)
struct CopiedCopyTests {
    /// Runs a server with a picture of Ada's, and with a second file of hers that has the same bytes as the picture's smaller copy.
    private func run(
        _ pair: StoragePair, _ test: @Sendable (TestServer, TestServer.Person, _ picture: FileData, _ copy: FileData) async throws -> Void
    ) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            func upload(_ name: String, _ content: Data) async throws -> FileData {
                let answer = try await server.upload(.file(name, content), as: ada)
                try #require(answer.status == 200, "\(answer.text)")
                return try answer.decode(UploadResponse.self).files[0].data
            }
            let picture = try await upload("photo.jpg", try Fixture.data("photo.jpg"))
            let copied = try await server.send("GET", "\(picture.url)&w=256")
            #expect(copied.status == 200)
            try await server.settleCopies()
            let copy = try await upload("copy.jpg", copied.body)
            #expect(try await Self.blobCount(server) == 2)
            try await test(server, ada, picture, copy)
        }
    }

    private static func blobCount(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.rows("SELECT key FROM blob").count }
    }

    private func delete(_ file: FileData, _ server: TestServer, _ person: TestServer.Person) async throws {
        let deleted = try await server.send("DELETE", "/api/users/user/\(person.id)/multimedia/\(file.fileId)", as: person)
        #expect(deleted.status == 200)
    }

    @Test("the copies of such a file are deleted with it, although its bytes stay", arguments: StoragePair.allCases)
    func deleted(_ pair: StoragePair) async throws {
        try await run(pair) { server, ada, picture, copy in
            #expect(try await server.send("GET", "\(copy.url)&w=64").status == 200)
            try await server.settleCopies()
            #expect(try await server.storedCopyCount() == 2)
            try await delete(copy, server, ada)
            #expect(try await server.storedCopyCount() == 1)
            try await delete(picture, server, ada)
            #expect(try await server.storedCopyCount() == 0)
            // Nothing refers to the bytes any more, so all of them can be deleted.
            _ = try await server.backend.garbageCollector.reap(now: server.clock.now + .minutes(11))
            #expect(try await Self.blobCount(server) == 0)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("such a file that is deleted before its copy is stored gets no copy back", arguments: StoragePair.allCases)
    func deletedBefore(_ pair: StoragePair) async throws {
        try await run(pair) { server, ada, picture, copy in
            await server.holdCopies()
            #expect(try await server.send("GET", "\(copy.url)&w=64").status == 200)
            try await delete(copy, server, ada)
            try await server.storeCopies()
            #expect(try await server.storedCopyCount() == 1)
            #expect(try await server.send("GET", "\(picture.url)&w=256").status == 200)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }
}
