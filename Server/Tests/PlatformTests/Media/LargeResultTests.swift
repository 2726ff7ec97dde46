import CMedia
import Core
import MediaTools
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Large results of media workers", .blocksThreads)
struct LargeResultTests {
    private static func sealed(_ bytes: [UInt8]) throws -> CInt {
        let memory = bytes.withUnsafeBytes { media_sealed_memory($0.baseAddress!, $0.count) }
        try #require(memory >= 0)
        return memory
    }

    private static func account(_ number: Int) -> Requester { Requester(account: "\(number)", network: nil) }

    @Test("while four large results exist, a fifth is not made, and other jobs are; the end of one starts it")
    func wakes() async throws {
        let photo = try WorkerFixture.bytes("position-exif.jpg", in: WorkerFixture.own)
        let large = try Self.sealed(Array(photo.dropLast(2)) + [UInt8](repeating: 0, count: 3_000_000) + [0xFF, 0xD9])
        defer { close(large) }
        try await WorkerFixture.run { workers in
            var held: [MediaResult] = []
            for number in 1...4 {
                held.append(try await Self.account(number).run { try await workers.strip(large, mayBeLarge: true) })
            }
            #expect(workers.largeResults == 4 && held.allSatisfy { $0.isSealed })
            // The block ends the life of the task, because the task refers to its result, too.
            do {
                let fifth = Self.account(5).run { Task { try await workers.strip(large, mayBeLarge: true) } }
                try await WorkerFixture.eventually { workers.waiting == 1 }
                _ = try await workers.inspect(photo)
                #expect(workers.waiting == 1)
                // Only the end of a large result wakes the only worker.
                held.removeLast()
                held.append(try await fifth.value)
                #expect(workers.largeResults == 4 && workers.waiting == 0 && held.count == 4)
            }
            held.removeAll()
            try await WorkerFixture.eventually { workers.largeResults == 0 }
        }
    }

    @Test("a job that makes a small result, or none, no longer counts when it has ended")
    func small() async throws {
        let photo = try Self.sealed(WorkerFixture.bytes("position-exif.jpg", in: WorkerFixture.own))
        let text = try Self.sealed(Array("no picture".utf8))
        defer {
            close(photo)
            close(text)
        }
        try await WorkerFixture.run { workers in
            for _ in 1...5 {
                let copy = try await workers.strip(photo, mayBeLarge: true)
                #expect(!copy.isSealed)
                await #expect(throws: MediaFailure.self) { _ = try await workers.strip(text, mayBeLarge: true) }
            }
            try await WorkerFixture.eventually { workers.largeResults == 0 }
        }
    }
}
