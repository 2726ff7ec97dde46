import Blobs
import Core
import Database
import TestKit
import Testing

@Suite("Dead blobs of a clock that was far ahead")
struct BlobDatesTests {
    @Test("Such blobs count as dead since the correction; those of a clock that was an hour ahead stay", arguments: StoragePair.allCases)
    func corrected(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let (far, near) = (try await fixture.storeBlob([1]), try await fixture.storeBlob([2]))
        for key in [far, near] { try await fixture.release(key) }
        let now = fixture.clock.now
        let (late, soon) = (now + .days(1_000), now + .hours(1))
        for (key, time) in [(far, late), (near, soon)] {
            try await fixture.database.run("UPDATE blob SET dead_at = \(time) WHERE key = \(key)")
        }
        try await BlobLedger.correctDates(fixture.database, now: now)
        #expect(try await fixture.row(far)?.deadAt == now)
        #expect(try await fixture.row(near)?.deadAt == soon)
        let plan = try await QueryPlan(BlobLedger.correctDates(now: now), on: fixture.database)
        #expect(plan.faults.isEmpty && plan.uses("blob_dead"), "\(plan)")
    }
}
