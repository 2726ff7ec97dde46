import AsyncHTTPClient
import Blobs
import Core
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("Requests to the object store", .blocksThreads)
struct S3RequestTests {
    @Test("A small blob is one request to store, none to publish, and one to read")
    func small() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let writer = try await store.stage()
        try await writer.append(ByteBuffer(bytes: BlobStoreSuite.bytes(20_000)))
        #expect(fixture.takeRequests().isEmpty)
        let blob = try await writer.finish()
        #expect(fixture.takeRequests() == [.putObject])
        try await store.publish([blob])
        #expect(fixture.takeRequests().isEmpty)
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == BlobStoreSuite.bytes(20_000))
        #expect(fixture.takeRequests() == [.getObject])
    }

    @Test("A large blob is sent in parts of 5 MiB, and read by one request after its beginning")
    func large() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let content = BlobStoreSuite.bytes(12_000_000)
        let blob = try await BlobStoreSuite.put(content, in: store)
        #expect(
            fixture.takeRequests().sorted { $0.rawValue < $1.rawValue } == [
                .completeUpload, .createUpload, .uploadPart, .uploadPart, .uploadPart,
            ])
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == content)
        #expect(fixture.takeRequests() == [.getObject, .getObject, .getObject])
    }

    @Test("A wrong clock is corrected once, and the next requests need no correction")
    func clock() async throws {
        let fixture = try S3Fixture()
        let wrong = WallClock { WallClock.system.now + .hours(3) }
        let store = try await fixture.open(clock: wrong)
        _ = try await store.freeByteCount()
        let first = fixture.takeRequests().count
        _ = try await store.freeByteCount()
        #expect(fixture.takeRequests().count == 1)
        #expect(first == 2)
        // Links are signed with the store's time too.
        let blob = try await BlobStoreSuite.put([1, 2, 3], in: store)
        #expect(
            try await get(try store.presignedLink(to: blob.key, contentType: "image/png", disposition: "inline", for: .seconds(60))).status
                == 200)
    }

    @Test("A presigned link reads one blob with the type and disposition it forces, until it expires")
    func links() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let blob = try await BlobStoreSuite.put(Array("hello".utf8), in: store)
        let disposition = #"attachment; filename="a b.png""#
        let link = try store.presignedLink(to: blob.key, contentType: "image/png", disposition: disposition, for: .seconds(60))
        let answer = try await get(link)
        #expect(answer.status == 200)
        #expect(answer.type == "image/png")
        #expect(answer.disposition == disposition)
        #expect(answer.body == "hello")
        #expect(try await get(link?.replacing("image%2Fpng", with: "text%2Fhtml")).status == 403)
        let past = WallClock { WallClock.system.now - .seconds(120) }
        let old = try await fixture.open(clock: past)
        #expect(
            try await get(try old.presignedLink(to: blob.key, contentType: "image/png", disposition: "inline", for: .seconds(60))).status
                == 403)
    }

    @Test("The virtual-host style reaches the same objects")
    func virtualHosts() async throws {
        let fixture = try S3Fixture()
        let blob = try await BlobStoreSuite.put([1, 2, 3], in: try await fixture.open())
        var address = fixture.address
        address.style = .virtual
        address.authority = "localhost:\(CephService.sharedPort)"
        let other = try S3Fixture(address)
        let store = try await other.open { $0.resolving = ["keepsake-tests.localhost": "127.0.0.1"] }
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == [1, 2, 3])
        #expect(try await BlobStoreSuite.list(store) == [blob.key])
    }

    @Test("A session token is sent with every request")
    func tokens() async throws {
        // radosgw ignores tokens that it has not issued, so the test looks at the requests.
        let heads = Guarded<[String]>([])
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { request in
            heads.withLock { $0.append(request.head.lowercased()) }
            return .none
        }
        let temporary = S3Credentials(
            accessKeyID: CephService.credentials.accessKeyID, secretAccessKey: CephService.credentials.secretAccessKey,
            sessionToken: Secret("the-token"))
        let store = try await S3Fixture().open(port: proxy.port, credentials: temporary)
        _ = try await BlobStoreSuite.put([1, 2, 3], in: store)
        #expect(heads.withLock { $0.count } >= 1)
        #expect(
            heads.withLock { heads in
                heads.allSatisfy {
                    $0.contains("x-amz-security-token: the-token") && $0.contains("x-amz-date;x-amz-meta-sha256;x-amz-security-token,")
                }
            })
    }

    @Test("Stores with different prefixes in one bucket do not see each other's blobs")
    func prefixes() async throws {
        let (one, two) = (try S3Fixture(), try S3Fixture())
        let (first, second) = (try await one.open(), try await two.open())
        let blob = try await BlobStoreSuite.put([1, 2, 3], in: first)
        #expect(try await BlobStoreSuite.list(second).isEmpty)
        await #expect(throws: BlobError.missing(blob.key)) { try await second.open(blob.key) }
        try await second.delete(blob.key)
        #expect(try await BlobStoreSuite.list(first) == [blob.key])
    }

    @Test("A list of more than one page is complete")
    func pages() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let keys = try await withThrowingTaskGroup(of: BlobKey.self) { group in
            for number in 0..<1_050 {
                if number >= 16 { _ = try await group.next() }
                group.addTask {
                    let key = BlobKey(entropy: .system)
                    try await store.client.putNew(S3Names.blob(key), .none)
                    return key
                }
            }
            try await group.waitForAll()
            return try await BlobStoreSuite.list(store)
        }
        #expect(keys.count == 1_050)
        #expect(fixture.takeRequests().filter { $0 == .listObjects }.count == 2)
    }

    @Test("Eight uploads at once, more than their shared parts, are complete")
    func parallel() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open { $0.extraParts = 2 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let content = BlobStoreSuite.bytes(11_000_000 + number, seed: UInt64(number + 1))
                    let blob = try await BlobStoreSuite.put(content, in: store, chunks: [262_144])
                    #expect(blob.sha256 == BlobStoreSuite.sha256(content))
                    #expect(try await store.hash(of: blob.key, blob.byteCount) == blob.sha256)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A writer that is released leaves no unfinished upload behind")
    func released() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        try await BlobStoreSuite.write(BlobStoreSuite.bytes(6_000_000), to: try await store.stage())
        try await fixture.wait { try await S3Fixture.everything(store).uploads.isEmpty }
    }

    private struct Answer {
        let status: UInt
        let type: String?
        let disposition: String?
        let body: String
    }

    private func get(_ link: String?) async throws -> Answer {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: try #require(link)), timeout: .seconds(20))
        return Answer(
            status: response.status.code, type: response.headers.first(name: "content-type"),
            disposition: response.headers.first(name: "content-disposition"),
            body: String(buffer: try await response.body.collect(upTo: 65_536)))
    }
}
