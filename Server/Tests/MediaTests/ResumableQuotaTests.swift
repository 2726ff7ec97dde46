import Blobs
import Core
import Database
import Foundation
import NIOCore
import Search
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import Web
@testable import keepsake

/// A resumable upload keeps its bytes on disk for a day, so its reservation lasts for a day, too.
@Suite("The quota of interrupted uploads")
struct ResumableQuotaTests {
    private static let megabyte: Int64 = 1_048_576

    @Test("the staged bytes of an interrupted upload stay reserved, whichever node resumes it", arguments: StoragePair.allCases)
    func resumed(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 10 * Self.megabyte
        } _: { server in
            let ada = try await server.person()
            let database = server.backend.database
            let journal = UploadJournal(database: database, clock: server.clock.wall)
            let quota = StagingQuota(database: database, quota: MediaQuota(byteCount: 10 * Self.megabyte), clock: server.clock.wall)
            // Each process has its own budget.
            func gate() -> UploadGate {
                let identifiers = Identifiers(clock: server.clock.wall, entropy: .system)
                return UploadGate(store: server.backend.blobs, budget: UploadBudget(quota: quota, identifiers: identifiers))
            }
            let film = Film.bytes(9_000_000)
            let first = try await ResumableUpload.create(
                "u1", owner: ada.id, purpose: "test", body: .file(field: "file", name: "a.mp4"), byteCount: nil,
                rules: MediaRules.generalUpload, gate: gate(), journal: journal)
            try await first.append(epoch: 1, offset: 0, ByteBuffer(bytes: film.prefix(5_000_000)))
            try await first.checkpoint()
            let reserved = try await server.checkedUsage(of: ada).reservedBytes
            #expect(reserved >= 5_000_000)
            // No connection is open for hours, and the reservation still counts against other uploads.
            server.clock.advance(by: .hours(20))
            try await quota.sweep()
            #expect(try await server.checkedUsage(of: ada).reservedBytes == reserved)
            await #expect(throws: QuotaExceeded.self) { try await quota.check(6_000_000, of: ada.id) }

            let second = try #require(
                try await ResumableUpload.takeUp(
                    "u1", owner: ada.id, purpose: "test", rules: MediaRules.generalUpload, gate: gate(), journal: journal))
            try await second.append(epoch: 2, offset: 5_000_000, ByteBuffer(bytes: film.dropFirst(5_000_000)))
            let upload = try await second.finish()
            let labels = MediaRules.Labels(category: "general", tags: [])
            _ = try await upload.settle {
                let files = upload.files.map { NewAsset($0, id: "m1", labels: labels) }
                return try await server.backend.media.store.add(files, SearchWords([]), owner: ada.id) { [hold = second.hold] _, tx in
                    try journal.end(hold, tx)
                }
            }
            let usage = try await server.checkedUsage(of: ada)
            #expect(usage.fileBytes == 9_000_000 && usage.reservedBytes == 0)
        }
    }

    @Test("an abandoned upload releases its reservation", arguments: StoragePair.allCases)
    func abandoned(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let journal = UploadJournal(database: server.backend.database, clock: server.clock.wall)
            let upload = try await ResumableUpload.create(
                "u1", owner: ada.id, purpose: "test", body: .file(field: "file", name: "a.mp4"), byteCount: nil,
                rules: MediaRules.generalUpload, gate: server.backend.media.gate, journal: journal)
            try await upload.append(epoch: 1, offset: 0, ByteBuffer(bytes: Film.bytes(500_000)))
            #expect(try await server.checkedUsage(of: ada).reservedBytes > 0)
            try await upload.abort()
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            #expect(try await server.storedFileCount() == 0)
        }
    }
}
