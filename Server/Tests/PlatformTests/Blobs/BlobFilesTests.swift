import Core
import Foundation
import NIOCore
import TestKit
import Testing

@testable import Blobs

/// Tests `BlobFiles` alone. Other suites test it within a server.
@Suite("Local files of blobs")
struct BlobFilesTests {
    private static func read(_ descriptor: CInt) -> Data {
        FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readFromStart()
    }

    private static func isUnused(_ files: BlobFiles) -> Bool {
        let counts = files.counts
        return counts.copies == 0 && counts.waiting == 0 && counts.spooledBytes == 0
    }

    private static func names(in folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    @Test(
        "a program gets a descriptor of a file with all bytes: the store's own file, or a copy without a name",
        arguments: StoragePair.allCases, [0, 1, 70_000, 1_500_000])
    func copies(_ pair: StoragePair, byteCount: Int) async throws {
        let fixture = try await BlobFixture(pair)
        let files = BlobFiles(folder: fixture.folder.path + "/copies")
        let content = BlobStoreSuite.bytes(byteCount)
        let key = try await fixture.storeBlob(content)
        let reader = try await fixture.store.open(key)
        let isCopied = pair == .shared
        #expect(reader.isRemote == isCopied && fixture.store.isRemote == isCopied)
        let seen = try await files.withFile(of: key, in: fixture.store) { descriptor in
            #expect(files.counts.copies == (isCopied ? 1 : 0))
            #expect(Self.names(in: files.folder) == [])
            return Self.read(descriptor)
        }
        #expect(seen == Data(content))
        #expect(Self.isUnused(files))
    }

    @Test("a bounded number of copies exists at a time, and a task that is cancelled while it waits gets none")
    func bounded() async throws {
        let fixture = try await BlobFixture(.shared)
        var limits = BlobFiles.Limits()
        limits.copies.permits = 2
        limits.copies.permitsPerKey = 2
        let files = BlobFiles(folder: fixture.folder.path + "/copies", limits: limits)
        let key = try await fixture.storeBlob([1, 2, 3])
        let most = Guarded(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await files.withFile(of: key, in: fixture.store) { _ in
                        most.withLock { $0 = max($0, files.counts.copies) }
                        try await Task.sleep(for: .milliseconds(20))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(most.withLock { $0 } == 2)

        try await files.withFile(of: key, in: fixture.store) { _ in
            try await files.withFile(of: key, in: fixture.store) { _ in
                let waiting = Task { try await files.withFile(of: key, in: fixture.store) { _ in } }
                while files.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                // Transcriptions have a separate limit, so they do not wait.
                try await files.separate(copies: 1).withFile(of: key, in: fixture.store) { _ in }
            }
        }
        #expect(Self.isUnused(files))
    }

    @Test("long work has copies of its own, so other work does not wait for it")
    func longWork() async throws {
        let fixture = try await BlobFixture(.shared)
        var limits = BlobFiles.Limits()
        limits.copies.permits = 1
        limits.longCopies.permits = 1
        let files = BlobFiles(folder: fixture.folder.path + "/copies", limits: limits)
        let key = try await fixture.storeBlob([1, 2, 3])
        try await files.withFile(of: key, in: fixture.store, isLong: true) { _ in
            let second = Task { try await files.withFile(of: key, in: fixture.store, isLong: true) { _ in } }
            while files.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
            let seen = try await files.withFile(of: key, in: fixture.store) { _ in files.counts }
            #expect(seen.copies == 2 && seen.waiting == 1)
            second.cancel()
            await #expect(throws: CancellationError.self) { try await second.value }
        }
        #expect(Self.isUnused(files))
    }

    @Test("an account that waits with many files delays another account by one file")
    func turns() async throws {
        let fixture = try await BlobFixture(.shared)
        var limits = BlobFiles.Limits()
        limits.copies.permits = 1
        limits.copies.permitsPerKey = 1
        let files = BlobFiles(folder: fixture.folder.path + "/copies", limits: limits)
        let key = try await fixture.storeBlob([1, 2, 3])
        let order = Guarded<[String]>([])
        @Sendable func use(_ account: String) async throws {
            try await Requester(account: account, network: nil).run {
                try await files.withFile(of: key, in: fixture.store) { _ in order.withLock { $0.append(account) } }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await files.withFile(of: key, in: fixture.store) { _ in
                for number in 1...10 {
                    group.addTask { try await use("eve") }
                    while files.counts.waiting < number { try await Task.sleep(for: .milliseconds(5)) }
                }
                group.addTask { try await use("ada") }
                while files.counts.waiting < 11 { try await Task.sleep(for: .milliseconds(5)) }
            }
            try await group.waitForAll()
        }
        let place = try #require(order.withLock { $0 }.firstIndex(of: "ada"))
        #expect(place <= 1, "\(order.withLock { $0 })")
    }

    @Test("in a job, the account whose file it is takes the turn, and in a request the account that sent it")
    func jobs() async throws {
        let fixture = try await BlobFixture(.shared)
        var limits = BlobFiles.Limits()
        limits.copies.permits = 8
        limits.copies.permitsPerKey = 1
        let files = BlobFiles(folder: fixture.folder.path + "/copies", limits: limits)
        let key = try await fixture.storeBlob([1, 2, 3])
        let order = Guarded<[String]>([])
        @Sendable func use(_ name: String, for owner: String) async throws {
            try await files.withFile(of: key, in: fixture.store, for: owner) { _ in order.withLock { $0.append(name) } }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await files.withFile(of: key, in: fixture.store, for: "ada") { _ in
                group.addTask { try await use("ada's second file", for: "ada") }
                while files.counts.waiting == 0 { try await Task.sleep(for: .milliseconds(5)) }
                group.addTask { try await use("ben's file", for: "ben") }
                group.addTask { try await Requester(account: "eve", network: nil).run { try await use("eve's request", for: "ada") } }
                let end = ContinuousClock.now + .seconds(9)
                while order.withLock({ $0.count }) < 2, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
                #expect(Set(order.withLock { $0 }) == ["ben's file", "eve's request"])
            }
            try await group.waitForAll()
        }
        #expect(order.withLock { $0.last } == "ada's second file")
        #expect(Self.isUnused(files))
    }

    @Test("a spool holds the bytes of an upload until its budget ends, and frees its share")
    func spool() async throws {
        let folder = try TemporaryFolder()
        var limits = BlobFiles.Limits()
        limits.spooled = SharedBudget.Limits(total: 9 << 20, perAccount: 9 << 20, perNetwork: 9 << 20)
        let files = BlobFiles(folder: folder.path + "/copies", limits: limits)
        let content = BlobStoreSuite.bytes(5_000_000)

        let whole = try #require(await files.spool())
        for start in stride(from: 0, to: content.count, by: 65_536) {
            await whole.append(ByteBuffer(bytes: content[start..<min(start + 65_536, content.count)]))
        }
        #expect(files.counts.spooledBytes >= content.count)
        // The budget does not suffice for a second copy of the bytes.
        let second = try #require(await files.spool())
        await second.append(ByteBuffer(bytes: content))
        #expect(await second.finish(byteCount: Int64(content.count)) == nil)

        #expect(await whole.finish(byteCount: Int64(content.count) - 1) == nil)
        let file = try #require(await whole.finish(byteCount: Int64(content.count)))
        #expect(Self.read(file.descriptor) == Data(content))
        whole.giveUp()
        #expect(files.counts.spooledBytes == 0)
        #expect(Self.names(in: files.folder) == [])
    }

    @Test("files that a crash left are deleted at the start, and other files stay")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/copies"
        try await TemporaryFile.removeAll(in: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        for name in [BlobKey(entropy: .system).text, "notes.txt"] {
            _ = FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data([1]))
        }
        try await TemporaryFile.removeAll(in: path)
        #expect(Self.names(in: path) == ["notes.txt"])
    }
}

extension FileHandle {
    /// Reads at explicit offsets, because duplicates of a descriptor share one offset.
    fileprivate func readFromStart() -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = pread(fileDescriptor, &buffer, buffer.count, off_t(data.count))
            guard count > 0 else { return data }
            data.append(contentsOf: buffer[..<count])
        }
    }
}
