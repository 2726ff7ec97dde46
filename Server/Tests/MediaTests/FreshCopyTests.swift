import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Blobs
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Smaller copies that are sent before they are stored", .blocksThreads)
struct FreshCopyTests {
    /// Runs a server with one photo of Ada's that stores no copies until `storeCopies` is called.
    private func withPausedStorage(
        _ pair: StoragePair, _ test: @Sendable (TestServer, TestServer.Person, FileData) async throws -> Void
    ) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada)
            let file = try answer.decode(UploadResponse.self).files[0].data
            await server.holdCopies()
            try await test(server, ada, file)
            try await server.storeCopies()
        }
    }

    @Test(
        "a copy is sent from memory, as often as it is asked for, and the same bytes are sent from the store later",
        arguments: StoragePair.allCases)
    func once(_ pair: StoragePair) async throws {
        try await withPausedStorage(pair) { server, _, file in
            let link = "\(file.url)&w=256"
            let fresh = try await server.send("GET", link)
            #expect(fresh.status == 200 && fresh.body.starts(with: [0xFF, 0xD8]))
            #expect(try await server.storedCopyCount() == 0)
            #expect(try await server.storedFileCount() == 1)

            // Until the copy is stored, its link works like that of a stored file.
            let again = try await server.send("GET", link)
            #expect(again.status == 200 && again.body == fresh.body && again.header("ETag") == fresh.header("ETag"))
            let head = try await server.send("HEAD", link)
            #expect(head.header("Content-Length") == String(fresh.body.count) && head.body.isEmpty)
            let part = try await server.send("GET", link, headers: [("Range", "bytes=3-12")])
            #expect(part.status == 206 && part.body == fresh.body[3..<13])
            let same = try await server.send("GET", link, headers: [("If-None-Match", fresh.header("ETag") ?? "")])
            #expect(same.status == 304)

            server.clock.advance(by: .seconds(5))
            try await server.storeCopies()
            #expect(try await server.storedCopyCount() == 1)
            #expect(try await server.storedFileCount() == 2)
            let stored = try await server.send("GET", link)
            #expect(stored.status == 200 && stored.body == fresh.body)
            for name in ["ETag", "Last-Modified", "Content-Type", "Content-Disposition"] {
                #expect(stored.header(name) == fresh.header(name), "\(name)")
            }
            #expect(await server.copies.madeCount == 1)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("an original that is deleted before its copy is stored gets no copy back", arguments: StoragePair.allCases)
    func deleted(_ pair: StoragePair) async throws {
        try await withPausedStorage(pair) { server, ada, file in
            let link = "\(file.url)&w=256"
            #expect(try await server.send("GET", link).status == 200)
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            // The copy is still in memory, but the server refuses the link because the file's row is deleted.
            #expect(await server.copies.pendingCount == 1)
            #expect(try await server.send("GET", link).status == 404)
            try await server.storeCopies()
            #expect(try await server.storedCopyCount() == 0)
            // Only the original's bytes are left, until the garbage collector deletes them.
            #expect(try await server.storedFileCount() == 1)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test(
        "copies that wait when the server stops are stored, and later ones are stored before they are sent", arguments: StoragePair.allCases
    )
    func stop(_ pair: StoragePair) async throws {
        try await withPausedStorage(pair) { server, _, file in
            let before = try await server.storedCopyCount()
            for width in [64, 128, 256] { #expect(try await server.send("GET", "\(file.url)&w=\(width)").status == 200) }
            #expect(try await server.storedCopyCount() == before)
            await server.copies.storage.close()
            #expect(try await server.storedCopyCount() == 3)
            #expect(try await server.send("GET", "\(file.url)&w=384").status == 200)
            #expect(try await server.storedCopyCount() == 4)
        }
    }

    @Test("an account's copies in memory are bounded: the next one is stored before it is sent")
    func bounded() async throws {
        try await withPausedStorage(.embedded) { server, ada, file in
            var wishes: [String] = []
            for width in [64, 128, 256] {
                for height in VariantSpec.sides {
                    for quality in VariantSpec.qualities { wishes.append("w=\(width)&h=\(height)&q=\(quality)") }
                }
            }
            for side in VariantSpec.sides { for quality in VariantSpec.qualities { wishes.append("w=384&h=\(side)&q=\(quality)") } }
            // Each copy counts as at least 64 KiB.
            let most = VariantMaker.memory.perAccount / (64 << 10)
            try #require(wishes.count > most)
            let path = String(file.appUrl.dropFirst(server.url.count))
            var sent = 0
            while sent < wishes.count, try await server.storedCopyCount() == 0 {
                #expect(try await server.send("GET", "\(path)?\(wishes[sent])", as: ada).status == 200, "\(wishes[sent])")
                sent += 1
            }
            // Some copies are larger than 64 KiB, so fewer than `most` fit.
            #expect(try await server.storedCopyCount() == 1)
            let pending = await server.copies.pendingCount
            #expect(pending == sent - 1 && pending > most / 4 && pending <= most, "\(pending) of \(most)")
        }
    }

    @Test("copies are stored for the server, and do not wait for the syncs of the account whose copy came first")
    func turns() async throws {
        try await withPausedStorage(.embedded) { server, ada, file in
            let photo = try #require(try await server.backend.media.store.asset(file.fileId, owner: ada.id))
            let syncs = try #require(server.backend.blobs as? LocalBlobStore).syncTurns
            let owner = Requester(account: ada.id, network: Network(ipv4: 1))
            let held = await owner.run {
                var permits: [FairSemaphore.Permit] = []
                while permits.count < SyncTurns.perAccount, let permit = await syncs.permit() { permits.append(permit) }
                return permits
            }
            let input = FileInput(userId: ada.id, fileId: "a", w: 64, format: "jpeg")
            let spec = try #require(try VariantSpec(input, accept: nil))
            _ = try await owner.run { try await server.copies.variant(of: photo, .smaller(spec)) }
            let storage = await server.copies.storage
            await storage.resume()
            for _ in 0..<2_000 {
                if try await server.storedCopyCount() > 0 { break }
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(try await server.storedCopyCount() == 1)
            for permit in held { permit.release() }
        }
    }
}
