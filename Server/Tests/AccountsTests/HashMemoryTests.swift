import Foundation
import Synchronization
import TestThreads
import Testing

@testable import Accounts

@Suite("Memory of password hashes", .blocksThreads)
struct HashMemoryTests {
    /// Runs two hashes at the same time. Each waits until the other one runs, too, but not for longer than 200 ms.
    /// - Returns: the most hashes that ran at a time.
    private func mostAtOnce(residentByteCount: Int?) -> Int {
        let memory = HashMemory { residentByteCount }
        let running = Atomic(0)
        let most = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            memory.use {
                let count = running.add(1, ordering: .relaxed).newValue
                most.max(count, ordering: .relaxed)
                let end = ContinuousClock.now + .milliseconds(200)
                while most.load(ordering: .relaxed) < 2, .now < end { Thread.sleep(forTimeInterval: 0.001) }
                running.subtract(1, ordering: .relaxed)
            }
        }
        return most.load(ordering: .relaxed)
    }

    @Test("a process with little memory, or whose memory is unknown, runs two hashes at a time, and a large one runs one")
    func large() {
        #expect(mostAtOnce(residentByteCount: HashMemory.largeByteCount) == 2)
        #expect(mostAtOnce(residentByteCount: nil) == 2)
        #expect(mostAtOnce(residentByteCount: HashMemory.largeByteCount + 1) == 1)
    }

    @Test("a hash that fails makes room for the next one")
    func failed() {
        struct Failed: Error {}
        let memory = HashMemory { HashMemory.largeByteCount + 1 }
        #expect(throws: Failed.self) { try memory.use { throw Failed() } }
        #expect(memory.use { 1 } == 1)
    }
}
