import Blobs
import Core
import Database
import Foundation
import NIOCore
import NIOPosix
import TestKit
import Testing

@Suite("Local blob store")
struct LocalBlobStoreTests {
    @Test("The file store keeps complete blobs apart until they are published", arguments: BlobStoreSuite.keepingApart)
    func keepsApart(_ check: BlobStoreSuite.Check) async throws {
        let place = try BlobLocation(.files)
        try await check.run { clock in try await place.open(clock) }
    }

    @Test("A published blob is readable after the store is reopened")
    func reopening() async throws {
        let folder = try TemporaryFolder()
        let content = BlobStoreSuite.bytes(1_000_000)
        var store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let staged = try await BlobStoreSuite.put(content, in: store)
        await store.close()
        store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        #expect(try await BlobStoreSuite.read(staged.key, in: store) == content)
        await store.close()
    }

    @Test("Only the owner of the folder removes leftovers when it opens the store")
    func leftovers() async throws {
        let folder = try TemporaryFolder()
        let owner = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let writer = try await owner.stage()
        try await BlobStoreSuite.write(BlobStoreSuite.bytes(2_000_000), to: writer)
        let staged = try await writer.finish()
        let tool = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: false)
        try await tool.publish([staged])
        let left = try await owner.stage()
        _ = try await left.finish()
        let successor = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/blobs/tmp").isEmpty)
        #expect(try await BlobStoreSuite.list(successor) == [staged.key])
        for store in [owner, tool, successor] { await store.close() }
    }

    @Test("A missing folder is created with its parents, readable only by its user")
    func making() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a/b"
        let store = try await LocalBlobStore.open(folder: path, removingLeftovers: true)
        let key = try await BlobStoreSuite.put([1], in: store).key
        func mode(_ path: String) throws -> Int? { try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        #expect(try mode(path + "/blobs/\(key.text.prefix(2))/\(key)") == 0o600)
        #expect(try mode(path + "/blobs/tmp") == 0o700)
        #expect(try mode(path) == 0o700)
        await store.close()
    }

    @Test("A list skips folders without blobs, and fails when the store's folder is missing")
    func listing() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        #expect(try await BlobStoreSuite.list(store).isEmpty)
        let key = try await BlobStoreSuite.put([1], in: store).key
        #expect(try await BlobStoreSuite.list(store) == [key])
        try FileManager.default.moveItem(atPath: folder.path + "/blobs", toPath: folder.path + "/unmounted")
        await #expect(throws: BlobError.system(operation: "listing a blob folder", code: ENOENT)) { try await BlobStoreSuite.list(store) }
        await store.close()
    }

    @Test("What was written out is in the file, although the batch is not full")
    func writtenOut() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let writer = try await store.stage()
        func byteCount() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: "\(folder.path)/blobs/tmp/\(writer.key.text)")[.size] as? Int ?? -1
        }
        try await writer.append(ByteBuffer(repeating: 1, count: 600_000))
        await writer.writeOut()
        #expect(try byteCount() == 600_000)
        try await writer.append(ByteBuffer(repeating: 1, count: 5))
        #expect(try byteCount() == 600_000)
        await writer.writeOut()
        await writer.writeOut()
        #expect(try byteCount() == 600_005)
        await writer.abort()
        await writer.writeOut()
        await store.close()
    }

    @Test("An open blob stays readable after its deletion")
    func readingDeleted() async throws {
        let fixture = try await BlobFixture(.embedded)
        let content = BlobStoreSuite.bytes(600_000)
        let key = try await BlobStoreSuite.put(content, in: fixture.store).key
        let reader = try await fixture.store.open(key)
        try await fixture.store.delete(key)
        #expect(try await BlobStoreSuite.read(reader, 0..<reader.byteCount) == content)
    }

    @Test("A file truncated during a read causes an error, not a short read")
    func truncatedWhileRead() async throws {
        let fixture = try await BlobFixture(.embedded)
        let key = try await BlobStoreSuite.put(BlobStoreSuite.bytes(600_000), in: fixture.store).key
        let reader = try await fixture.store.open(key)
        #expect(truncate(fixture.path(key), 300_000) == 0)
        await #expect(throws: BlobError.truncated(key)) { try await BlobStoreSuite.read(reader, 0..<reader.byteCount) }
    }

    @Test("The store keeps shared files open up to its limit, closes those of deleted blobs, and none after it is closed")
    func keptOpen() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true, keptOpen: 8)
        var keys: [BlobKey] = []
        for index in 0..<20 { keys.append(try await BlobStoreSuite.put([UInt8(index)], in: store).key) }
        for (index, key) in keys.enumerated() {
            for _ in 0..<2 {
                let reader = try await store.openShared(key)
                #expect(try await BlobStoreSuite.read(reader, 0..<1) == [UInt8(index)])
            }
            #expect(store.keptOpenCount <= 8)
        }
        // Unlike `openShared`, a plain `open` keeps no descriptor open.
        let kept = store.keptOpenCount
        _ = try await store.open(keys[0])
        #expect(kept > 0 && store.keptOpenCount == kept)
        try await store.delete(keys[19])
        #expect(store.keptOpenCount == kept - 1)
        await #expect(throws: BlobError.missing(keys[19])) { try await store.openShared(keys[19]) }
        await store.close()
        #expect(store.keptOpenCount == 0)
        await #expect(throws: BlobError.closed) { try await store.openShared(keys[18]) }
    }

    @Test("A blob that is deleted while others open it does not stay open")
    func deletedWhileOpened() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true, keptOpen: 64)
        for _ in 0..<200 {
            let key = try await BlobStoreSuite.put([1], in: store).key
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { _ = try? await store.openShared(key) } }
                group.addTask { try? await store.delete(key) }
            }
            #expect(store.keptOpenCount == 0)
        }
        await store.close()
    }

    @Test("A range is in the page cache after it was read into it, not when the file ends before")
    func pageCache() async throws {
        let fixture = try await BlobFixture(.embedded)
        let key = try await BlobStoreSuite.put(BlobStoreSuite.bytes(3_000_001), in: fixture.store).key
        let reader = try await fixture.store.open(key)
        let eventLoop = NIOSingletons.posixEventLoopGroup.next()
        // Lengthens the file by a hole. The page cache has no page of the hole yet.
        #expect(truncate(fixture.path(key), 9_000_000) == 0)
        #expect(!reader.isCached(4_000_000..<9_000_000))
        try await reader.cache(0..<9_000_000, on: eventLoop).get()
        #expect(reader.isCached(4_000_000..<9_000_000))
        #expect(reader.isCached(0..<9_000_000))
        #expect(reader.isCached(4_095..<4_097))
        #expect(truncate(fixture.path(key), 3_000_000) == 0)
        #expect(!reader.isCached(0..<3_000_001))
        #expect(reader.isCached(0..<3_000_000))
        await #expect(throws: BlobError.truncated(key)) { try await reader.cache(0..<3_000_001, on: eventLoop).get() }
    }

    @Test("The caller owns the descriptor that the store returns")
    func descriptor() async throws {
        let fixture = try await BlobFixture(.embedded)
        let key = try await BlobStoreSuite.put(Array("for sendfile".utf8), in: fixture.store).key
        var reader: (any BlobReader)? = try await fixture.store.open(key)
        let descriptor = try #require(try reader?.duplicateDescriptor())
        reader = nil
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, 100, 0)
        #expect(bytes.prefix(max(count, 0)) == Array("for sendfile".utf8)[...])
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(close(descriptor) == 0)
    }

    @Test("A closed store throws the error closed")
    func closed() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let key = try await BlobStoreSuite.put([1], in: store).key
        let reader = try await store.open(key)
        let writer = try await store.stage()
        try await writer.append(ByteBuffer(string: "begun"))
        await store.close()
        await #expect(throws: BlobError.closed) { try await writer.finish() }
        await #expect(throws: BlobError.closed) { try await store.open(key) }
        await #expect(throws: BlobError.closed) { try await BlobStoreSuite.read(reader, 0..<1) }
        await #expect(throws: BlobError.closed) { try await BlobStoreSuite.put(BlobStoreSuite.bytes(3_000_000), in: store) }
        await writer.abort()
        await store.close()
    }

    @Test("A key is exactly 40 lower-case hexadecimal digits")
    func keys() {
        let key = BlobKey(entropy: .system)
        #expect(BlobKey(key.text) == key)
        #expect(BlobKey(sqlValue: .text(key.text)) == key)
        let zeros = String(repeating: "0", count: 37)
        for text in [
            "", "../../../etc/passwd", "\(zeros)/..", "\(zeros)ABC", "\(zeros)00", "\(zeros)0000", "\(zeros)00g", "\(zeros)0\u{0}0",
            "\(zeros)0é",
        ] {
            #expect(BlobKey(text) == nil)
            #expect(BlobKey(sqlValue: .text(text)) == nil)
        }
        #expect(BlobKey(sqlValue: .integer(7)) == nil)
    }

    @Test("The mark of a folder names its installation, and can be replaced; a folder without one, or that does not exist, has none")
    func mark() throws {
        let folder = try TemporaryFolder()
        let mark = StoreMark(in: folder.path)
        #expect(try mark.read() == nil)
        #expect(try StoreMark(in: folder.path + "/none").read() == nil)
        for id in ["0193f3b2-4a6b-7e21-9d10-1b2c3d4e5f60", "two"] {
            try mark.write(id)
            #expect(try mark.read() == id)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["keepsake.installation"])
        try Data().write(to: URL(filePath: mark.path))
        #expect(try mark.read() == nil)
    }

    @Test("One process serves a folder, and the error names the folder and the process id")
    func lock() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let lock = try StoreLock.take(in: path)
        #expect(throws: BlobError.locked(folder: path, process: Int(getpid()))) { try StoreLock.take(in: path) }
        #expect(String(describing: BlobError.locked(folder: "/a", process: 7)) == "another keepsake (process 7) serves the folder /a")
        lock.release()
        let next = try StoreLock.take(in: path)
        next.release()
        next.release()
    }
}
