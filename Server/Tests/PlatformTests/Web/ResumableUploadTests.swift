import Blobs
import Core
import Database
import Foundation
import Logging
import NIOCore
import S3Blobs
import TestKit
import Testing

@testable import Web

@Suite("Interrupted uploads")
struct ResumableUploadTests {
    private static let rules = UploadRules(
        kinds: [
            UploadRules.FileKind(
                fields: ["file"], maxCount: 5, maxByteCount: 4_000_000, windowByteCount: 4_096, tailByteCount: 4_096,
                types: [], refusal: Problem(.unprocessable, "not this"),
                recognise: { head, _ in head.first == 0 ? Problem(.unprocessable, "not this") : nil },
                conclude: { "test/\($0.byteCount)-\($0.tail.last ?? 0)" })
        ], textFields: ["title"], keepsTheOthers: true)

    /// One process on the installation's data.
    private struct Node {
        let store: any BlobStore
        let database: any Database
        let journal: UploadJournal
        /// Keeps the folder as long as its nodes exist.
        let place: Place

        func create(_ body: ResumableUpload.Body, id: String = "u1") async throws -> ResumableUpload {
            try await ResumableUpload.create(
                id, owner: "ada", purpose: "test", body: body, byteCount: nil, rules: rules, gate: UploadGate(store: store),
                journal: journal)
        }

        func takeUp(
            _ id: String = "u1", owner: String = "ada", purpose: String = "test", scanner: (any UploadScanner)? = nil
        ) async throws -> ResumableUpload? {
            try await ResumableUpload.takeUp(
                id, owner: owner, purpose: purpose, rules: rules, gate: UploadGate(store: store, scanner: scanner), journal: journal)
        }

        func close() async throws {
            try await database.close()
            await store.close()
        }
    }

    private final class Place: Sendable {
        let folder: TemporaryFolder
        let stores: TestStores
        let clock: TestClock

        init(_ pair: StoragePair) throws {
            folder = try TemporaryFolder()
            // An object store dates its objects by its own clock.
            clock = pair == .embedded ? TestClock() : TestClock(WallClock.system.now)
            stores = try TestStores(pair)
        }

        /// Opens the store as the program does at its start, which deletes files that were only staged.
        func start() async throws -> Node {
            let database = try await stores.open(clock: clock.wall)
            try await database.migrate(UploadJournal.migrations)
            var options = BlobAddress.Options(scratchFolder: folder.path + "/scratch")
            options.removingLeftovers = true
            return Node(
                store: try await stores.blobs(in: folder.path).open(options, clock: clock.wall, logger: .silent),
                database: database, journal: UploadJournal(database: database, clock: clock.wall), place: self)
        }
    }

    private static func form() -> (bytes: [UInt8], files: [[UInt8]]) {
        let files = [
            BlobStoreSuite.bytes(700_001, seed: 3), Array("\r\n--edg3-but-none\r\n--edg".utf8),
            BlobStoreSuite.bytes(3, seed: 5), BlobStoreSuite.bytes(1_300_000, seed: 7),
        ].map { [1] + $0 }
        var body = MultipartBody(boundary: "edge")
        body.add("title", "Sea")
        for (number, file) in files.enumerated() { body.add("file", fileName: "\(number).bin", Data(file)) }
        body.close()
        return (Array(body.data), files)
    }

    @Test("A form that is cut anywhere and resumed after a restart yields the same files, byte for byte", arguments: StoragePair.allCases)
    func restarts(_ pair: StoragePair) async throws {
        let (bytes, files) = Self.form()
        var generator = SplitMix64(seed: 11)
        for round in 0..<3 {
            let place = try Place(pair)
            var node = try await place.start()
            var upload = try await node.create(.form(boundary: "edge"))
            var durable = 0
            while durable < bytes.count {
                // Small steps around headers and delimiters, large ones elsewhere.
                let step = [1, 7, 60, 4_000, 150_000, 600_000].randomElement(using: &generator)!
                let end = min(bytes.count, durable + step)
                try await upload.append(epoch: upload.hold.epoch, offset: Int64(durable), ByteBuffer(bytes: bytes[durable..<end]))
                #expect(try await upload.checkpoint() == Int64(end))
                durable = end
                // The bytes after the checkpoint are lost, and sent again.
                let more = min(bytes.count, end + 40_000)
                try await upload.append(epoch: upload.hold.epoch, offset: Int64(end), ByteBuffer(bytes: bytes[end..<more]))
                if Int.random(in: 0..<4, using: &generator) > 0 {
                    try await node.close()
                    node = try await place.start()
                }
                upload = try #require(await node.takeUp())
                #expect(upload.offset == Int64(durable))
            }
            let received = try await upload.finish()
            #expect(received.texts == ["title": "Sea"])
            #expect(received.files.map(\.name) == (0..<4).map { "\($0).bin" })
            for (file, content) in zip(received.files, files) {
                #expect(file.blob.sha256 == BlobStoreSuite.sha256(content), "round \(round)")
                #expect(file.facts.type == "test/\(content.count)-\(content.last!)")
                #expect(try await BlobStoreSuite.read(file.blob.key, in: node.store) == content)
            }
            try await node.database.write { [node, hold = upload.hold] tx in try node.journal.end(hold, tx) }
            #expect(try await node.takeUp() == nil)
            try await node.close()
        }
    }

    @Test("A single file without a form resumes as well", arguments: StoragePair.allCases)
    func raw(_ pair: StoragePair) async throws {
        let place = try Place(pair)
        let content = [1] + BlobStoreSuite.bytes(900_000)
        var node = try await place.start()
        var upload = try await node.create(.file(field: "file", name: "a.bin"))
        for start in stride(from: 0, to: content.count, by: 300_000) {
            let bytes = ByteBuffer(bytes: content[start..<min(content.count, start + 300_000)])
            try await upload.append(epoch: upload.hold.epoch, offset: Int64(start), bytes)
            try await upload.checkpoint()
            try await node.close()
            node = try await place.start()
            upload = try #require(await node.takeUp())
        }
        let received = try await upload.finish()
        #expect(received.files.map(\.blob.sha256) == [BlobStoreSuite.sha256(content)])
        try await node.close()
    }

    /// A virus scanner that is not reachable.
    private final class AwayScanner: UploadScanner, ScanStream {
        func scan() -> any ScanStream { self }
        func scanWhileArriving() -> any ScanStream { self }
        func prepare() async throws {}
        func append(_ bytes: ByteBuffer) async throws {}
        func finish() async throws -> ScanVerdict { throw ScannerUnavailable("away") }
        func abort() async {}
    }

    @Test("Files stay while the scanner is away: the one that has just arrived, and earlier ones", arguments: StoragePair.allCases)
    func withoutScanner(_ pair: StoragePair) async throws {
        let (bytes, files) = Self.form()
        let place = try Place(pair)
        let node = try await place.start()
        let first = try await node.create(.form(boundary: "edge"))
        // Sends the bytes up to the middle of the last file.
        try await first.append(epoch: 1, offset: 0, ByteBuffer(bytes: bytes[..<1_500_000]))
        try await first.checkpoint()
        for epoch in 2...3 {
            let away = try #require(await node.takeUp(scanner: AwayScanner()))
            #expect(away.offset == 1_500_000)
            try await away.append(epoch: Int64(epoch), offset: 1_500_000, ByteBuffer(bytes: bytes[1_500_000...]))
            let error = await #expect(throws: Problem.self) { _ = try await away.finish() }
            #expect(error?.kind == .unavailable)
        }
        let last = try #require(await node.takeUp())
        try await last.append(epoch: 4, offset: 1_500_000, ByteBuffer(bytes: bytes[1_500_000...]))
        let received = try await last.finish()
        #expect(received.files.map(\.blob.sha256) == files.map { BlobStoreSuite.sha256($0) })
        for (file, content) in zip(received.files, files) {
            #expect(try await BlobStoreSuite.read(file.blob.key, in: node.store) == content)
        }
        try await node.close()
    }

    @Test("A single file that has just arrived stays while the scanner is away", arguments: StoragePair.allCases)
    func wholeFileWithoutScanner(_ pair: StoragePair) async throws {
        let content = [1] + BlobStoreSuite.bytes(3_900_000)
        let node = try await Place(pair).start()
        let first = try await node.create(.file(field: "file", name: "a.bin"))
        try await first.append(epoch: 1, offset: 0, ByteBuffer(bytes: content[..<3_000_000]))
        try await first.checkpoint()
        let away = try #require(await node.takeUp(scanner: AwayScanner()))
        try await away.append(epoch: 2, offset: 3_000_000, ByteBuffer(bytes: content[3_000_000...]))
        await #expect(throws: Problem.self) { _ = try await away.finish() }
        let last = try #require(await node.takeUp())
        try await last.append(epoch: 3, offset: 3_000_000, ByteBuffer(bytes: content[3_000_000...]))
        #expect(try await last.finish().files.map(\.blob.sha256) == [BlobStoreSuite.sha256(content)])
        try await node.close()
    }

    @Test("Of two connections the later one wins: the earlier one can neither append nor save nor end", arguments: StoragePair.allCases)
    func fenced(_ pair: StoragePair) async throws {
        let node = try await Place(pair).start()
        let old = try await node.create(.file(field: "file", name: nil))
        try await old.append(epoch: 1, offset: 0, ByteBuffer(repeating: 1, count: 100_000))
        try await old.checkpoint()
        let new = try #require(await node.takeUp())
        #expect(new.hold.epoch == 2 && new.offset == 100_000)
        func refused(_ body: () async throws -> Void) async -> Problem.Kind? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? Problem)?.kind ?? .fault
            }
        }
        // The new connection has taken over the old upload's file, and the old upload's epoch has ended.
        #expect(await refused { try await old.append(epoch: 1, offset: 100_000, ByteBuffer(repeating: 9, count: 10)) } != nil)
        #expect(await refused { try await old.checkpoint() } != nil)
        #expect(await refused { try await node.journal.save(old.hold, offset: 5, state: 0) } == .conflict)
        #expect(
            await refused { try await node.database.write { [node, hold = old.hold] tx in try node.journal.end(hold, tx) } } == .conflict)
        // A wrong offset or an old epoch causes a conflict.
        #expect(await refused { try await new.append(epoch: 2, offset: 99_999, ByteBuffer(repeating: 2, count: 1)) } == .conflict)
        #expect(await refused { try await new.append(epoch: 1, offset: 100_000, ByteBuffer(repeating: 2, count: 1)) } == .conflict)
        try await new.append(epoch: 2, offset: 100_000, ByteBuffer(repeating: 2, count: 50_000))
        let received = try await new.finish()
        #expect(
            received.files[0].blob.sha256
                == BlobStoreSuite.sha256([UInt8](repeating: 1, count: 100_000) + [UInt8](repeating: 2, count: 50_000)))
        try await node.close()
    }

    @Test(
        "An upload belongs to one owner and one purpose for 24 hours; then its row and its bytes are swept", arguments: StoragePair.allCases
    )
    func owner(_ pair: StoragePair) async throws {
        let place = try Place(pair)
        let node = try await place.start()
        let upload = try await node.create(.file(field: "file", name: nil))
        try await upload.append(epoch: 1, offset: 0, ByteBuffer(repeating: 1, count: 10_000))
        try await upload.checkpoint()
        #expect(try await node.takeUp(owner: "eve") == nil)
        #expect(try await node.takeUp(purpose: "other") == nil)
        #expect(try await node.takeUp("u2") == nil)
        #expect(try await node.journal.offset("u1", owner: "ada", purpose: "test") == 10_000)
        #expect(try await node.journal.offset("u1", owner: "eve", purpose: "test") == nil)
        place.clock.advance(by: .hours(24))
        #expect(try await node.takeUp() != nil)
        place.clock.advance(by: .microseconds(1))
        #expect(try await node.takeUp() == nil)
        try await node.journal.sweep()
        let rows: Int? = try await node.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM upload")?.get("n") }
        #expect(rows == 0)
        #expect(try await node.store.removeLeftovers(olderThan: WallClock.system.now + .hours(1)) == 1)
        try await node.close()
    }

    @Test("A refused file stays refused after a restart, and the other files are kept", arguments: StoragePair.allCases)
    func refusals(_ pair: StoragePair) async throws {
        let place = try Place(pair)
        var body = MultipartBody(boundary: "edge")
        body.add("file", fileName: "bad.bin", Data([UInt8](repeating: 0, count: 20_000)))
        body.add("file", fileName: "good.bin", Data([UInt8](repeating: 1, count: 20_000)))
        body.close()
        let node = try await place.start()
        let upload = try await node.create(.form(boundary: "edge"))
        try await upload.append(epoch: 1, offset: 0, ByteBuffer(bytes: body.data.prefix(15_000)))
        try await upload.checkpoint()
        try await node.close()
        let next = try await place.start()
        let resumed = try #require(await next.takeUp())
        try await resumed.append(epoch: 2, offset: 15_000, ByteBuffer(bytes: body.data.dropFirst(15_000)))
        let received = try await resumed.finish()
        #expect(received.files.map(\.name) == ["good.bin"])
        #expect(received.refusals.map(\.name) == ["bad.bin"] && received.refusals[0].problem.message == "not this")
        try await next.close()
    }

    @Test("Each statement uses an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        let node = try await Place(pair).start()
        let hold = UploadJournal.Hold(id: "u", owner: "ada", epoch: 1)
        for sql in [
            UploadJournal.takeUp("u", "ada", "p", after: Timestamp(seconds: 1)),
            UploadJournal.offset("u", "ada", "p", after: Timestamp(seconds: 1)),
            UploadJournal.save(hold, 1, "{}"), UploadJournal.end(hold),
        ] {
            let plan = try await QueryPlan(sql, on: node.database)
            #expect(plan.faults.isEmpty, "\(plan)")
        }
        let sweep = try await QueryPlan(UploadJournal.forget(before: Timestamp(seconds: 1), limit: 500), on: node.database)
        #expect(sweep.uses("upload_by_age"), "\(sweep)")
        try await node.close()
    }
}
