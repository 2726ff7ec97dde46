import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Memory of copies", .blocksThreads)
struct CopyMemoryTests {
    private static let ada = Requester(account: "ada", network: Network(ipv4: 1))
    private static let bob = Requester(account: "bob", network: Network(ipv4: 2))

    private static func counts(_ memory: CopyMemory) -> [Int] {
        let counts = memory.counts
        return [counts.bytes, counts.turns, counts.waiting]
    }

    @Test("a small copy holds a share of the budget from before it is made; when there is none, it waits for a turn like a large one")
    func holds() async throws {
        let memory = CopyMemory()
        let most = CopyMemory.maxByteCountInMemory
        try await Self.ada.run {
            var holds: [CopyMemory.Hold] = []
            for _ in 0..<CopyMemory.budget.perAccount / most { holds.append(try await memory.hold(for: most, isLong: false)) }
            #expect(Self.counts(memory) == [CopyMemory.budget.perAccount, 0, 0])
            let later = try await memory.hold(for: most, isLong: false)
            #expect(Self.counts(memory) == [CopyMemory.budget.perAccount, 1, 0])

            // A copy that is smaller than expected gives back the rest, and then there is room for the other one.
            let first = try #require(memory.share(for: 100_000, insteadOf: holds[0]))
            #expect(first.amount == 100_000 && memory.counts.bytes == CopyMemory.budget.perAccount - most + 100_000)
            #expect(memory.share(for: most, insteadOf: later) == nil)
            let second = try #require(memory.share(for: 1_000_000, insteadOf: later))
            #expect(second.amount == 1_000_000 && memory.counts.turns == 0)
            // A copy that is too large for the budget keeps what it holds until it is stored.
            #expect(memory.share(for: most + 1, insteadOf: holds[1]) == nil)
            second.release()
            for hold in holds { hold.release() }
            #expect(Self.counts(memory) == [0, 0, 0])
        }
    }

    @Test("large copies of one account leave a turn to others, and thumbnails need none; long work has turns of its own")
    func others() async throws {
        let memory = CopyMemory()
        let large = CopyMemory.maxByteCountInMemory + 1
        var holds: [CopyMemory.Hold] = []
        for _ in 0..<CopyMemory.turns.permitsPerKey {
            holds.append(try await Self.ada.run { try await memory.hold(for: large, isLong: false) })
        }
        let next = Self.ada.run { Task { try await memory.hold(for: large, isLong: false) } }
        try await eventually { memory.counts.waiting == 1 }
        holds.append(try await Self.bob.run { try await memory.hold(for: large, isLong: false) })
        holds.append(try await Self.ada.run { try await memory.hold(for: 1_000, isLong: false) })
        holds.append(try await Self.ada.run { try await memory.hold(for: large, isLong: true) })
        #expect(memory.counts.waiting == 1 && memory.counts.turns == CopyMemory.turns.permits + 1)
        next.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
        for hold in holds { hold.release() }
        #expect(Self.counts(memory) == [0, 0, 0])
    }

    @Test("a copy that has a turn counts it among those that its request holds, until it gives the turn back; a share is no turn")
    func held() async throws {
        let memory = CopyMemory()
        try await Self.ada.run {
            let small = try await memory.hold(for: 1_000, isLong: false)
            #expect(!Requester.holdsTurn)
            let large = try await memory.hold(for: CopyMemory.maxByteCountInMemory + 1, isLong: false)
            #expect(Requester.holdsTurn)
            let share = try #require(memory.share(for: 1_000, insteadOf: large))
            #expect(!Requester.holdsTurn)
            let long = try await memory.hold(for: CopyMemory.maxByteCountInMemory + 1, isLong: true)
            #expect(Requester.holdsTurn)
            for hold in [small, large, long] { hold.release() }
            share.release()
            #expect(!Requester.holdsTurn && Self.counts(memory) == [0, 0, 0])
        }
    }

    /// A small picture with a position, and `byteCount` zeros at the end of its pixels.
    private static func picture(_ byteCount: Int) throws -> Data {
        let folder = MediaFixture.folder.appending(path: "../PlatformTests/Media/Fixtures")
        let photo = try Data(contentsOf: folder.appending(path: "position-exif.jpg"))
        try #require(photo.suffix(2) == Data([0xFF, 0xD9]))
        return photo.dropLast(2) + Data(count: byteCount) + Data([0xFF, 0xD9])
    }

    @Test("of an account's large copies without metadata, three are made at a time, and each is stored whole")
    func stripped() async throws {
        try await TestServer.run(
            .embedded,
            {
                $0.mediaWorker.workers = 1
                $0.mediaWorker.isKeptWarm = true
            }
        ) { server in
            let ada = try await server.person()
            var paths: [String] = []
            for number in 0..<5 {
                let answer = try await server.upload(.file("a.jpg", Self.picture(3_000_000 + number)), as: ada)
                try #require(answer.status == 200, "\(answer.text)")
                let file = try answer.decode(UploadResponse.self).files[0].data
                paths.append("/api/users/user/\(ada.id)/multimedia/shared/\(file.fileId)")
            }
            let (workers, memory) = (server.backend.workers, await server.copies.memory)
            let worker = try #require(workers.processes.first)
            let before = workers.taken
            kill(worker, SIGSTOP)
            let requests = paths.map { path in Task { try await server.send("GET", path, as: ada) } }
            try await eventually { Self.counts(memory) == [0, 3, 2] && workers.taken + workers.waiting == before + 3 }
            kill(worker, SIGCONT)
            for (number, request) in requests.enumerated() {
                let answer = try await request.value
                #expect(answer.status == 200 && answer.body.count > MediaResult.copiedByteCount)
                #expect(answer.body.suffix(3_000_002 + number) == Data(count: 3_000_000 + number) + Data([0xFF, 0xD9]))
                #expect(answer.body.range(of: Data("GPS".utf8)) == nil)
            }
            #expect(try await server.storedCopyCount() == 5)
            #expect(Self.counts(memory) == [0, 0, 0])
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("a copy is cancelled when the last caller leaves, also one who waits for it instead of a copy of their own")
    func followers() async throws {
        let (first, second) = (PendingVariant(), PendingVariant())
        let work = Task<MadeCopy, any Error> {
            _ = try await first.encode {
                try await Task.sleep(for: .seconds(5))
                throw Problem(.unavailable, "Nobody left.")
            }
            throw Problem(.unavailable, "Nobody left.")
        }
        #expect(first.join())
        second.follow(work, joined: first)
        first.leave()
        second.leave()
        await #expect(throws: CancellationError.self) { try await work.value }
        // The followed work was left once.
        second.leaveJoined()
        #expect(!first.join())
    }
}
