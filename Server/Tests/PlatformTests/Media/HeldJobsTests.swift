import CMedia
import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

@Suite("Jobs whose caller holds a turn", .blocksThreads, .runsAlone)
struct HeldJobsTests {
    @Test("a copy whose caller holds a scarce turn is made next, before the other copies of its account")
    func holder() async throws {
        let photo = try WorkerFixture.bytes("photo.jpg")
        try await WorkerFixture.run { workers in
            _ = try await workers.inspect(photo)
            let worker = try await WorkerFixture.process(workers)
            kill(worker, SIGSTOP)
            let (ada, order, before) = (Requester(account: "ada", network: nil), Guarded<[String]>([]), workers.taken)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...12 {
                    group.addTask {
                        let request = VariantRequest(width: 100 + number, height: 100, format: .jpeg)
                        _ = try await ada.run { try await workers.variant(photo, request) }
                        order.withLock { $0.append("other") }
                    }
                }
                try await WorkerFixture.eventually { workers.taken == before + 1 && workers.waiting == 11 }
                group.addTask {
                    let request = VariantRequest(width: 300, height: 300, format: .jpeg)
                    _ = try await ada.runHoldingTurn { try await workers.variant(photo, request) }
                    order.withLock { $0.append("holder") }
                }
                try await WorkerFixture.eventually { workers.waiting == 12 }
                kill(worker, SIGCONT)
                try await group.waitForAll()
            }
            // The holder's job is the second. The tasks may resume in a slightly different order than their jobs ended.
            let place = order.value.firstIndex(of: "holder") ?? 99
            #expect(order.value.count == 13 && place < 5, "\(order.value)")
        }
    }
}
