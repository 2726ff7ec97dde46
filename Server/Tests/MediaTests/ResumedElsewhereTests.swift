import Blobs
import Core
import Foundation
import NIOCore
import Search
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import Web
@testable import keepsake

/// Two servers on one PostgreSQL and one bucket.
@Suite("Interrupted uploads that continue on another node")
struct ResumedElsewhereTests {
    private static let purpose = "test"

    private func onTwoNodes(_ test: @Sendable (TestServer, TestServer) async throws -> Void) async throws {
        let stores = try TestStores(.shared, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.shared, on: stores, clock: clock) { one in
            try await TestServer.run(.shared, on: stores, clock: clock) { two in try await test(one, two) }
        }
    }

    private func journal(_ server: TestServer) -> UploadJournal {
        UploadJournal(database: server.backend.database, clock: server.clock.wall)
    }

    private func begin(_ body: ResumableUpload.Body, on server: TestServer, as person: TestServer.Person) async throws -> ResumableUpload {
        try await ResumableUpload.create(
            "u1", owner: person.id, purpose: Self.purpose, body: body, byteCount: nil, rules: MediaRules.generalUpload,
            gate: server.backend.media.gate, journal: journal(server))
    }

    private func takeUp(on server: TestServer, as person: TestServer.Person) async throws -> ResumableUpload? {
        try await ResumableUpload.takeUp(
            "u1", owner: person.id, purpose: Self.purpose, rules: MediaRules.generalUpload, gate: server.backend.media.gate,
            journal: journal(server))
    }

    /// Inserts the rows of the upload's files.
    private func settle(_ upload: ResumableUpload, on server: TestServer, as person: TestServer.Person) async throws {
        let received = try await upload.finish()
        let labels = MediaRules.Labels(category: "general", tags: [])
        let journal = journal(server)
        _ = try await received.settle {
            let files = received.files.enumerated().map { NewAsset($1, id: "m\($0)", labels: labels) }
            return try await server.backend.media.store.add(files, SearchWords([]), owner: person.id) { [hold = upload.hold] _, tx in
                try journal.end(hold, tx)
            }
        }
    }

    /// The file as each node serves it.
    private func served(_ id: String, by servers: [TestServer], to person: TestServer.Person) async throws -> [Data] {
        var all: [Data] = []
        for server in servers {
            all.append(try await server.send("GET", "/api/users/user/\(person.id)/multimedia/files/\(id)", as: person).body)
        }
        return all
    }

    @Test(
        "a film that one node received in part is completed by the other, and both serve it", arguments: [300_000, 7_000_000, 12_582_912])
    func film(first: Int) async throws {
        try await onTwoNodes { one, two in
            let ada = try await one.person()
            let film = Film.bytes(13_000_000, isRandom: true)
            do {
                let upload = try await begin(.file(field: "file", name: "a.mp4"), on: one, as: ada)
                try await upload.append(epoch: 1, offset: 0, ByteBuffer(bytes: film.prefix(first)))
                #expect(try await upload.checkpoint() == Int64(first))
                // These bytes are lost with the first node's connection.
                try await upload.append(epoch: 1, offset: Int64(first), ByteBuffer(bytes: film.dropFirst(first).prefix(200_000)))
            }
            let upload = try #require(await takeUp(on: two, as: ada))
            #expect(upload.offset == Int64(first) && upload.hold.epoch == 2)
            try await upload.append(epoch: 2, offset: Int64(first), ByteBuffer(bytes: film.dropFirst(first)))
            try await upload.checkpoint()
            try await settle(upload, on: two, as: ada)
            #expect(try await served("m0", by: [one, two], to: ada) == [film, film])
            #expect(try await two.backend.audit.run().problems == [])
        }
    }

    @Test("a form's complete files and the beginning of the next continue on the other node")
    func form() async throws {
        try await onTwoNodes { one, two in
            let ada = try await one.person()
            let (photo, film) = (try Fixture.data("photo.jpg"), Film.bytes(9_000_000, isRandom: true))
            var body = MultipartBody(boundary: "edge")
            body.add("file", fileName: "a.jpg", photo)
            body.add("file", fileName: "b.mp4", film)
            body.close()
            let bytes = body.data
            let cut = photo.count + 3_000_000
            let upload = try await begin(.form(boundary: "edge"), on: one, as: ada)
            try await upload.append(epoch: 1, offset: 0, ByteBuffer(bytes: bytes.prefix(cut)))
            try await upload.checkpoint()
            let resumed = try #require(await takeUp(on: two, as: ada))
            try await resumed.append(epoch: 2, offset: Int64(cut), ByteBuffer(bytes: bytes.dropFirst(cut)))
            try await settle(resumed, on: two, as: ada)
            #expect(try await served("m0", by: [one, two], to: ada) == [photo, photo])
            #expect(try await served("m1", by: [one, two], to: ada) == [film, film])
        }
    }

    @Test("the first node, which still lives, can neither change, complete nor delete what the other has taken over")
    func fenced() async throws {
        try await onTwoNodes { one, two in
            let ada = try await one.person()
            let (photo, film) = (try Fixture.data("photo.jpg"), Film.bytes(13_000_000, isRandom: true))
            var body = MultipartBody(boundary: "edge")
            body.add("file", fileName: "a.jpg", photo)
            body.add("file", fileName: "b.mp4", film)
            body.close()
            let bytes = body.data
            let cut = photo.count + 7_000_000
            let old = try await begin(.form(boundary: "edge"), on: one, as: ada)
            try await old.append(epoch: 1, offset: 0, ByteBuffer(bytes: bytes.prefix(cut)))
            try await old.checkpoint()
            let new = try #require(await takeUp(on: two, as: ada))

            // These bytes differ from those that the second node gets.
            let noise = ByteBuffer(repeating: 0x21, count: 6_000_000)
            _ = try? await old.append(epoch: 1, offset: Int64(cut), noise)
            await #expect(throws: (any Error).self) { try await old.checkpoint() }
            try await old.abort()

            try await new.append(epoch: 2, offset: Int64(cut), ByteBuffer(bytes: bytes.dropFirst(cut)))
            _ = try? await old.append(epoch: 1, offset: old.offset, noise)
            try await settle(new, on: two, as: ada)
            try await old.abort()
            #expect(try await served("m0", by: [one, two], to: ada) == [photo, photo])
            #expect(try await served("m1", by: [one, two], to: ada) == [film, film])
            #expect(try await two.backend.audit.run().problems == [])
            _ = try await one.checkedUsage(of: ada)
        }
    }
}
