import AsyncHTTPClient
import Core
import Database
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Blobs
@testable import FeatureTestKit
@testable import Media
@testable import keepsake

/// Uploads count against the quota while their bytes arrive.
@Suite("The quota of uploads in progress", .serialized, .blocksThreads)
struct UploadQuotaTests {
    private static let megabyte: Int64 = 1_048_576

    @Test("with a quota of 1 MB, 300 MB sent at once never use more disk space than the quota and 8 MB", arguments: StoragePair.allCases)
    func flood(_ pair: StoragePair) async throws {
        let (most, statuses) = try await Self.flood(pair, UploadBudget.Limits())
        #expect(most <= Self.megabyte + 8_388_608, "\(most) bytes were staged")
        #expect(statuses.allSatisfy { $0 == 413 }, "\(statuses)")
    }

    @Test("control: without reservations, far more is staged")
    func floodControl() async throws {
        var limits = UploadBudget.Limits()
        (limits.unreservedPerUpload, limits.unreservedPerAccount) = (.max, .max)
        let (most, _) = try await Self.flood(.embedded, limits)
        #expect(most > 100 * Self.megabyte, "\(most) bytes were staged")
    }

    /// - Returns: The most bytes on disk at any time, and the status of each upload.
    private static func flood(_ pair: StoragePair, _ limits: UploadBudget.Limits) async throws -> (most: Int64, statuses: [Int]) {
        try await TestServer.run(pair) {
            $0.quotaByteCount = megabyte
            $0.uploadBudget = limits
        } _: { server in
            let eve = try await server.person("eve")
            let ada = try await server.person("ada")
            // The largest number of unfinished uploads that an account may have.
            let crowd = Crowd(count: 32)
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = crowd.count
            let client = HTTPClient(configuration: configuration)
            let chunks = 144  // of 64 KiB: 9.4 MB an upload, 300 MB in all
            return try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<crowd.count {
                    group.addTask {
                        defer { crowd.arrive(number) }
                        return try await Upload(person: eve, chunks: chunks, number: number, crowd: crowd).send(to: server, by: client)
                    }
                }
                // Another account uploads a photo at the same time.
                group.addTask {
                    let answer = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: ada)
                    #expect(answer.status == 200)
                    return nil
                }
                let most = Mutex<Int64>(0)
                let watch = Task {
                    while !Task.isCancelled {
                        let count = (try? await server.storedByteCount()) ?? 0
                        most.withLock { $0 = max($0, count) }
                        try? await Task.sleep(for: .milliseconds(5))
                    }
                }
                var statuses: [Int] = []
                for try await status in group { if let status { statuses.append(status) } }
                watch.cancel()
                await watch.value
                try await client.shutdown()
                // Nothing of the flood is left: the one file is Ada's.
                #expect(try await server.storedFileCount() == 1)
                #expect(try await server.checkedUsage(of: eve) == QuotaUsage())
                let photo = try await server.checkedUsage(of: ada)
                #expect(photo.files == 1 && photo.reservedBytes == 0)
                return (most.withLock { $0 }, statuses)
            }
        }
    }

    @Test("an upload whose announced size exceeds the free quota is 413 before any of its body is read", arguments: StoragePair.allCases)
    func announced(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = Self.megabyte
        } _: { server in
            let ada = try await server.person()
            let head = [
                "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1", "Host: localhost", "Authorization: Bearer \(ada.token)",
                "Content-Type: multipart/form-data; boundary=b", "Content-Length: 2000000", "Expect: 100-continue", "", "",
            ]
            let connection = try RawConnection(port: server.port)
            try connection.send(head.joined(separator: "\r\n"))
            let answer = try connection.answer()
            #expect(answer.status == 413 && answer.text.contains("quota"), "\(answer.text)")
            #expect(answer.headers["error-code"] == "quota_exceeded")
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("a 413 for the quota is sent while the body still arrives, and the connection closes", arguments: StoragePair.allCases)
    func early(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = Self.megabyte
        } _: { server in
            let ada = try await server.person()
            let head = [
                "POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1", "Host: localhost", "Authorization: Bearer \(ada.token)",
                "Content-Type: multipart/form-data; boundary=b", "Transfer-Encoding: chunked", "", "",
            ]
            let connection = try RawConnection(port: server.port)
            try connection.send(head.joined(separator: "\r\n"))
            let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.mp4\"\r\n\r\n"
            try connection.send(Self.chunk(Data(part.utf8) + Film.bytes(1_200_000)))
            // The form is incomplete and the client sends no more, but the server answers.
            let answer = try connection.answer()
            #expect(answer.status == 413 && answer.text.contains("quota"), "\(answer.text)")
            #expect(answer.headers["connection"] == "close")
            try await Self.eventually { try await server.storedFileCount() == 0 }
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
        }
    }

    @Test(
        "a file that fits exactly is accepted, and its reservation is released when its row is inserted", arguments: StoragePair.allCases)
    func exact(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 20 * Self.megabyte
            // Every byte is reserved.
            $0.uploadBudget.unreservedPerUpload = 0
        } _: { server in
            let ada = try await server.person()
            let overhead = RowBytes.count(searchable: ["a.mp4"], tags: [], plain: ["general"]) + RowBytes.typed(["general", nil])
            let left = Int(20 * Self.megabyte - overhead)
            #expect(try await server.upload(.file("a.mp4", Film.bytes(left + 1)), as: ada).status == 413)
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            #expect(try await server.upload(.file("a.mp4", Film.bytes(left)), as: ada).status == 200)
            let usage = try await server.checkedUsage(of: ada)
            #expect(usage.total == 20 * Self.megabyte && usage.reservedBytes == 0)
            #expect(try await server.upload(.file("b.mp4", Film.bytes(400)), as: ada).status == 413)
        }
    }

    @Test("a small upload makes no reservation in the database, a large one at most one", arguments: StoragePair.allCases)
    func writes(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (size, reservations) in [(20_000, 0), (1_000_000, 0), (30_000_000, 1)] {
                let counting = CountingQuota(
                    StagingQuota(
                        database: server.backend.database, quota: MediaQuota(byteCount: 1_000_000_000), clock: server.clock.wall))
                let gate = UploadGate(
                    store: server.backend.blobs,
                    budget: UploadBudget(quota: counting, identifiers: Identifiers(clock: server.clock.wall, entropy: .system)))
                let session = UploadSession(rules: MediaRules.generalUpload, gate: gate, owner: ada.id)
                try await session.announce(byteCount: Int64(size) + 300)
                try session.begin(field: "file", fileName: "a.mp4")
                var rest = ByteBuffer(bytes: Film.bytes(size))
                while let chunk = rest.readSlice(length: min(65_536, rest.readableBytes)), chunk.readableBytes > 0 {
                    try await session.append(chunk)
                }
                try await session.end()
                _ = try await session.finish()
                #expect(counting.reservations == reservations, "\(size)")
                await session.abort()
            }
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
        }
    }

    @Test("64 concurrent uploads near the quota's limit never exceed it", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 2 * Self.megabyte
            $0.uploadBudget.unreservedPerUpload = 10_000
            $0.uploadBudget.unreservedPerAccount = 50_000
        } _: { server in
            let ada = try await server.person()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<64 {
                    group.addTask { try await server.upload(.file("\(index).mp4", Film.bytes(100_000 + index)), as: ada).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            let usage = try await server.checkedUsage(of: ada)
            #expect(usage.total <= 2 * Self.megabyte && usage.reservedBytes == 0, "\(usage)")
            #expect(Set(statuses) == [200, 413])
            #expect(try await Int64(server.storedFileCount()) == usage.files)
            // If 110,000 bytes are still free, one more upload must succeed.
            let more = try await server.upload(.file("more.mp4", Film.bytes(100_100)), as: ada).status
            #expect(usage.total + 110_000 <= 2 * Self.megabyte ? more == 200 : true)
        }
    }

    @Test("a reservation left by a crash expires; one that is renewed does not", arguments: StoragePair.allCases)
    func expiry(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) {
            $0.quotaByteCount = 10 * Self.megabyte
        } _: { server in
            let ada = try await server.person()
            let quota = StagingQuota(
                database: server.backend.database, quota: MediaQuota(byteCount: 10 * Self.megabyte), clock: server.clock.wall)
            func request(_ id: String) -> ReservationRequest {
                ReservationRequest(
                    id: id, owner: ada.id, wanted: 4 * Self.megabyte, least: 1_000, replacing: 0, lease: .minutes(15))
            }
            #expect(try await quota.reserve(request("crashed")) == 4 * Self.megabyte)
            #expect(try await quota.reserve(request("alive")) == 4 * Self.megabyte)
            #expect(try await server.checkedUsage(of: ada).reservedBytes == 8 * Self.megabyte)
            server.clock.advance(by: .minutes(10))
            #expect(try await quota.renew("alive", owner: ada.id, lease: .minutes(15)))
            #expect(try await !quota.renew("alive", owner: "somebody else", lease: .minutes(15)))
            server.clock.advance(by: .minutes(6))
            try await quota.sweep()
            #expect(try await server.checkedUsage(of: ada).reservedBytes == 4 * Self.megabyte)
            #expect(try await !quota.renew("crashed", owner: ada.id, lease: .minutes(15)))
            try await quota.release("alive", owner: ada.id)
            try await quota.release("alive", owner: ada.id)
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            for sql in [
                UsageLedger.expired(before: server.clock.now, limit: 5), UsageLedger.used("a"), UsageLedger.uses(of: ["a", "b"]),
                UsageLedger.free(among: ["a", "b"], ""), UsageLedger.locked("a", ""), UsageLedger.setQuota(1, of: "a"),
                UsageLedger.add(.init(byteCount: 1), to: "a", MediaQuota(byteCount: 1)),
            ] {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("an upload that outlasts its reservation reserves its staged bytes again", arguments: StoragePair.allCases)
    func outlived(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 10 * Self.megabyte
        } _: { server in
            let ada = try await server.person()
            let quota = StagingQuota(
                database: server.backend.database, quota: MediaQuota(byteCount: 10 * Self.megabyte), clock: server.clock.wall)
            var limits = UploadBudget.Limits()
            limits.unreservedPerUpload = 0
            limits.firstStep = Self.megabyte
            let budget = UploadBudget(
                quota: quota, identifiers: Identifiers(clock: server.clock.wall, entropy: .system), limits: limits)
            let session = UploadSession(
                rules: MediaRules.generalUpload, gate: UploadGate(store: server.backend.blobs, budget: budget), owner: ada.id)
            let film = Film.bytes(6_000_000)
            try session.begin(field: "file", fileName: "a.mp4")
            try await session.append(ByteBuffer(bytes: film.prefix(2_000_000)))
            server.clock.advance(by: .minutes(20))
            try await quota.sweep()
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            try await session.append(ByteBuffer(bytes: film.dropFirst(2_000_000).prefix(100_000)))
            let usage = try await server.checkedUsage(of: ada)
            #expect(usage.reservedBytes >= 2_100_000, "\(usage)")
            await session.abort()
            #expect(try await server.checkedUsage(of: ada) == QuotaUsage())
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("an account at its quota can still change its profile picture", arguments: StoragePair.allCases)
    func picture(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) {
            $0.quotaByteCount = 40_000
            $0.uploadBudget.unreservedPerUpload = 0
        } _: { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            try #require((14_000..<38_000).contains(photo.count), "\(photo.count)")
            for _ in 0..<3 {
                let answer = try await server.upload(
                    .file("a.jpg", photo), to: "/api/users/user/\(ada.id)/profile-picture/swift", as: ada)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(try await server.checkedUsage(of: ada).files == 1)
        }
    }

    // MARK: Parts

    private static func chunk(_ data: Data) -> Data {
        Data((String(data.count, radix: 16) + "\r\n").utf8) + data + Data("\r\n".utf8)
    }

    private static func eventually(_ isTrue: () async throws -> Bool) async throws {
        for _ in 0..<500 {
            if try await isTrue() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("not within 5 s")
    }
}

/// Counts the writes of uploads before they insert their rows.
private final class CountingQuota: UploadQuota {
    private let quota: StagingQuota
    private let count = Mutex(0)
    init(_ quota: StagingQuota) { self.quota = quota }

    var reservations: Int { count.withLock { $0 } }

    func check(_ byteCount: Int64, of owner: String) async throws { try await quota.check(byteCount, of: owner) }
    func reserve(_ request: ReservationRequest) async throws -> Int64 {
        count.withLock { $0 += 1 }
        return try await quota.reserve(request)
    }
    func renew(_ id: String, owner: String, lease: Duration) async throws -> Bool {
        count.withLock { $0 += 1 }
        return try await quota.renew(id, owner: owner, lease: lease)
    }
    func release(_ id: String, owner: String) async throws { try await quota.release(id, owner: owner) }
}

/// Concurrent uploads that all send their files first, and then end their forms together.
private final class Crowd: Sendable {
    let count: Int
    private let arrived = Mutex<Set<Int>>([])

    init(count: Int) { self.count = count }

    /// Records that this upload has sent its file or was refused.
    func arrive(_ number: Int) { arrived.withLock { _ = $0.insert(number) } }

    func waitForAll() async throws {
        for _ in 0..<1_500 {
            if arrived.withLock({ $0.count == count }) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// A form with one video and without a Content-Length.
private struct Upload: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let person: TestServer.Person
    let chunks: Int
    let number: Int
    let crowd: Crowd
    private var sent = -1

    init(person: TestServer.Person, chunks: Int, number: Int, crowd: Crowd) {
        self.person = person
        self.chunks = chunks
        self.number = number
        self.crowd = crowd
    }

    func makeAsyncIterator() -> Upload { self }

    mutating func next() async throws -> ByteBuffer? {
        sent += 1
        switch sent {
        case 0:
            let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(number).mp4\"\r\n\r\n"
            return ByteBuffer(bytes: Data(part.utf8) + Film.bytes(65_536))
        case 1..<chunks: return Self.filling
        case chunks:
            crowd.arrive(number)
            try await crowd.waitForAll()
            return ByteBuffer(string: "\r\n--b--\r\n")
        default: return nil
        }
    }

    /// - Returns: The status; also 413 when the server closes the connection before the client has read the response.
    func send(to server: TestServer, by client: HTTPClient) async throws -> Int {
        var request = HTTPClientRequest(url: server.url + "/api/users/user/\(person.id)/multimedia/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: "multipart/form-data; boundary=b")
        request.body = .stream(self, length: .unknown)
        do {
            return Int(try await client.execute(request, timeout: .seconds(60)).status.code)
        } catch is HTTPClientError {
            return 413
        } catch is ChannelError {
            return 413
        } catch is IOError {
            return 413
        }
    }

    private static let filling = ByteBuffer(repeating: 0x5A, count: 65_536)
}
