import Blobs
import Core
import NIOCore
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

/// A proxy in front of the real radosgw causes faults: one at the first request of every kind, and then one at every third request.
@Suite("An object store that fails", .blocksThreads)
struct S3FaultTests {
    enum Fault: String, CaseIterable, CustomStringConvertible {
        case internalError = "500"
        case slowDown = "503 SlowDown"
        case lost = "connection reset"
        case lostResponse = "lost response"
        case truncated = "truncated response"
        case wrongTag = "wrong ETag"

        var description: String { rawValue }

        var fault: FaultyHTTPProxy.Fault {
            switch self {
            case .internalError:
                .refuse(status: "500 Internal Server Error", body: "<Error><Code>InternalError</Code></Error>")
            case .slowDown: .refuse(status: "503 Slow Down", body: "<Error><Code>SlowDown</Code></Error>")
            case .lost: .lose
            case .lostResponse: .loseResponse
            case .truncated: .truncate
            case .wrongTag: .damageTags
            }
        }
    }

    /// Which request this is, by its method and its query.
    static func operation(_ request: FaultyHTTPProxy.Request) -> S3Operation? {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? String(parts[1]) : ""
        let isBucket = parts[0].split(separator: "/").count == 1
        switch request.method {
        case "PUT" where query.contains("partNumber"): return request.head.contains("x-amz-copy-source:") ? .copyPart : .uploadPart
        case "PUT": return .putObject
        case "POST": return query.contains("uploadId") ? .completeUpload : .createUpload
        case "DELETE": return query.contains("uploadId") ? .abortUpload : .deleteObject
        case "HEAD": return isBucket ? .headBucket : .headObject
        case "GET" where isBucket: return query.contains("uploads") ? .listUploads : .listObjects
        case "GET": return query.contains("uploadId") ? .listParts : .getObject
        default: return nil
        }
    }

    @Test(
        "A size that no object has is an error", arguments: ["-1", "-9223372036854775808", "9223372036854775807", "1125899906842625", "0"])
    func impossibleSize(_ size: String) async throws {
        let fixture = try S3Fixture()
        let blob = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000), in: try await fixture.open())
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            guard Self.operation(request) == .getObject else { return .none }
            return .refuse(status: "206 Partial Content\r\nContent-Range: bytes 0-0/\(size)", body: "x")
        }
        let store = try await fixture.open(port: proxy.port)
        await #expect(throws: BlobError.self) { _ = try await store.open(blob.key) }
    }

    @Test("The sizes of listings and heads are between 0 bytes and 1 PiB")
    func sizes() {
        for size in ["-1", "-9223372036854775808", "9223372036854775807", "1125899906842625", "9223372036854775808", "", "x"] {
            #expect(S3Client.byteCount(size) == nil, "\(size)")
        }
        #expect(S3Client.byteCount("0") == 0 && S3Client.byteCount("1125899906842624") == 1 << 50)
    }

    @Test("Nothing is lost and nothing is doubled, whatever request fails", arguments: Fault.allCases)
    func faults(_ fault: Fault) async throws {
        let fixture = try S3Fixture()
        struct Seen: Sendable {
            var operations: [S3Operation: Int] = [:]
            var count = 0
        }
        let seen = Guarded(Seen())
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            guard let operation = Self.operation(request) else { return .none }
            return seen.withLock { seen in
                seen.operations[operation, default: 0] += 1
                seen.count += 1
                return seen.operations[operation] == 1 || seen.count % 3 == 0 ? fault.fault : .none
            }
        }
        let store = try await fixture.open(port: proxy.port)
        let other = try await fixture.open(port: proxy.port)
        var kept: [(blob: StagedBlob, bytes: [UInt8])] = []

        // The first two blobs fit into one request each. The last two are sent in parts, and all parts of the last blob have the full size.
        for size in [20_000, 700_000, 12_000_000, 10 << 20] {
            let content = BlobStoreSuite.bytes(size, seed: UInt64(size))
            kept.append((try await BlobStoreSuite.put(content, in: store), content))
        }
        // An upload that another node continues.
        let content = BlobStoreSuite.bytes(12_000_000, seed: 7)
        let first = try await store.stage(isResumable: true)
        try await BlobStoreSuite.write(Array(content[..<6_500_000]), to: first)
        let checkpoint = try await first.checkpoint()
        let second = try await other.resume(checkpoint)
        try await BlobStoreSuite.write(Array(content[6_500_000...]), to: second)
        let resumed = try await second.finish()
        // Another node publishes the blob, so its store asks whether the object exists.
        try await store.publish([resumed])
        kept.append((resumed, content))
        // Uploads that end early, and a deletion.
        let aborted = try await store.stage()
        try await BlobStoreSuite.write(BlobStoreSuite.bytes(6_000_000), to: aborted)
        await aborted.abort()
        let deleted = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000), in: store)
        try await store.delete(deleted.key)
        _ = try await store.freeByteCount()

        for (blob, bytes) in kept {
            #expect(blob.sha256 == BlobStoreSuite.sha256(bytes))
            #expect(try await BlobStoreSuite.read(blob.key, in: other) == bytes, "\(bytes.count) bytes came back changed")
        }
        _ = try await store.removeLeftovers(olderThan: .init(microseconds: .max))
        // The node that continued the upload stored the first part under this key. It has no row, so the sweep would remove it.
        try await store.delete(checkpoint.key)
        #expect(try await BlobStoreSuite.list(store) == Set(kept.map(\.blob.key)))
        let hit = Set(seen.withLock { $0.operations.keys })
        let wanted = Set(S3Operation.allCases)
        #expect(hit == wanted, "the faults missed \(wanted.subtracting(hit))")

        // Looks at what is left in the bucket, without the proxy.
        let direct = try await fixture.open()
        _ = try await direct.removeLeftovers(olderThan: .init(microseconds: .max))
        let left = try await S3Fixture.everything(direct)
        #expect(left.objects == kept.map { S3Names.blob($0.blob.key) }.sorted())
        #expect(left.uploads.isEmpty)
    }

    /// A wrong ETag breaks only uploads in parts, see `controlOfTags`.
    @Test("Without retries the same faults do break an upload", arguments: Fault.allCases.filter { $0 != .wrongTag })
    func control(_ fault: Fault) async throws {
        let fixture = try S3Fixture()
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in fault.fault }
        let store = try await fixture.open(port: proxy.port) { $0.attempts = 1 }
        await #expect(throws: BlobError.self) { try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000), in: store) }
    }

    @Test("A wrong ETag costs an upload in parts further requests, and breaks it if the list of its parts is wrong too")
    func controlOfTags() async throws {
        let content = BlobStoreSuite.bytes(12_000_000, seed: 3)
        let calm = try S3Fixture()
        _ = try await BlobStoreSuite.put(content, in: try await calm.open())
        #expect(calm.attempts(.completeUpload) >= 1 && calm.attempts(.listParts) == 0)

        let repaired = try S3Fixture()
        let parts = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            Self.operation(request) == .uploadPart ? .damageTags : .none
        }
        let store = try await repaired.open(port: parts.port)
        let blob = try await BlobStoreSuite.put(content, in: store)
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == content)
        #expect(repaired.attempts(.completeUpload) >= 2 && repaired.attempts(.listParts) >= 1)

        let broken = try S3Fixture()
        let everything = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .damageTags }
        let other = try await broken.open(port: everything.port)
        await #expect(throws: BlobError.self) { try await BlobStoreSuite.put(content, in: other) }
        #expect(broken.attempts(.listParts) >= 3)
    }

    @Test("A response that begins at the object's start instead of the range's is refused")
    func ignoredRange() async throws {
        let fixture = try S3Fixture()
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .refuse(status: "200 OK", body: "0123456789") }
        let reader = try await fixture.open(port: proxy.port).openShared(BlobKey(entropy: .system), byteCount: 1_000)
        await #expect(throws: BlobError.self) {
            for try await _ in reader.chunks(in: 100..<110) {}
        }
        await #expect(throws: BlobError.self) { _ = try await BlobStoreSuite.stream(reader, 100..<110) }
    }

    @Test("A download continues after its connection breaks in the middle, again and again", arguments: [false, true])
    func brokenDownload(asStream: Bool) async throws {
        let fixture = try S3Fixture()
        let content = BlobStoreSuite.bytes(3_000_000)
        let blob = try await BlobStoreSuite.put(content, in: try await fixture.open())
        let count = Guarded(0)
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            guard request.method == "GET" else { return .none }
            return count.withLock { count in
                count += 1
                return count <= 9 ? .truncate : .none
            }
        }
        let store = try await fixture.open(port: proxy.port)
        let reader = S3BlobReader(key: blob.key, byteCount: 3_000_000, beginning: ByteBuffer(), client: store.client)
        // Each of the first nine requests returns only half of the remaining bytes.
        let found =
            asStream
            ? try await BlobStoreSuite.stream(reader, 0..<3_000_000) : try await BlobStoreSuite.read(reader, 0..<3_000_000)
        #expect(found == content)
        #expect(count.withLock { $0 } >= 10)
    }

    @Test("When the object store stays away, a call fails as unavailable and says which request failed")
    func away() async throws {
        let fixture = try S3Fixture()
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .lose }
        let store = try await fixture.open(port: proxy.port)
        do {
            _ = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000), in: store)
            Issue.record("nothing was thrown")
        } catch BlobError.unavailable(let reason) {
            #expect(reason.hasPrefix("PutObject: "))
        }
        #expect(fixture.attempts(.putObject) == 6)
    }

    @Test("A store that refuses conditional writes as not implemented gets unconditional ones")
    func unconditional() async throws {
        let fixture = try S3Fixture()
        let refused = Guarded(0)
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            guard request.method == "PUT" else { return .none }
            return refused.withLock { refused in
                refused += 1
                return refused == 1
                    ? .refuse(status: "501 Not Implemented", body: "<Error><Code>NotImplemented</Code></Error>") : .none
            }
        }
        let store = try await fixture.open(port: proxy.port)
        for _ in 0..<2 { _ = try await BlobStoreSuite.put([1, 2, 3], in: store) }
        #expect(refused.withLock { $0 } >= 3)
        #expect(!store.client.usesConditions)
    }

    @Test("A conditional write does not replace an object that another writer has stored")
    func conditional() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let body = { (text: String) in S3Body.bytes(ByteBuffer(string: text), sha256: SigV4.hash(ByteBuffer(string: text))) }
        try await store.client.putNew("blobs/one", body("first"))
        // The same bytes succeed, because the client takes the stored object for the result of an earlier attempt.
        try await store.client.putNew("blobs/one", body("first"))
        await #expect(throws: S3Error.self) { try await store.client.putNew("blobs/one", body("other")) }
        #expect(try await store.client.getFirstBytes("blobs/one", count: 100)?.bytes == ByteBuffer(string: "first"))
    }
}
