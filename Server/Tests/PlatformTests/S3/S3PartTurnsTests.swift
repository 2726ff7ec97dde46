import Blobs
import Core
import Dispatch
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("Turns of the parts of uploads to S3", .blocksThreads)
struct S3PartTurnsTests {
    @Test("a piece that is read to be sent counts for the account that sends it, and does not wait for the calls of others")
    func sending() async throws {
        let folder = try TemporaryFolder()
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let turns = DiskTurns(pool)
        let file = try PartFile(in: folder.path, entropy: .system, turns: turns)
        try [UInt8](repeating: 7, count: 3).withUnsafeBytes { try file.append($0) }
        // The HTTP client reads the body in a task of its own, which has no requester.
        let body = Requester(account: "ada", network: Network(ipv4: 1)).run { file.body(byteCount: 3) }
        let (gate, isRead) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isBlocked = Guarded(false)
        let busy = Task {
            try await turns.perform {
                isBlocked.withLock { $0 = true }
                gate.wait()
            }
        }
        try await WorkerFixture.eventually { isBlocked.value }
        let others = (0..<3).map { _ in
            Task { try await turns.perform { isRead.wait(timeout: .now() + 10) == .success } }
        }
        try await WorkerFixture.eventually { turns.waitingCount == 3 }
        let reading = Task {
            var byteCount = 0
            for try await piece in body { byteCount += piece.readableBytes }
            for _ in 0..<3 { isRead.signal() }
            return byteCount
        }
        try await WorkerFixture.eventually { turns.waitingCount == 4 }
        gate.signal()
        let byteCount = try await reading.value
        #expect(byteCount == 3)
        for other in others {
            let wasAfter = try await other.value
            #expect(wasAfter, "a call that came before the read also ran before it")
        }
        try await busy.value
        try await pool.shutdownGracefully()
        withExtendedLifetime(folder) {}
    }
}
