import Core
import Testing

@testable import keepsake

@Suite("The age in keepsake backup prune --keep")
struct SnapshotAgeTests {
    @Test("is a number of hours or days")
    func ages() throws {
        #expect(try SnapshotAge.parse("12h").duration == .hours(12))
        #expect(try SnapshotAge.parse("30d").duration == .days(30))
    }

    @Test("has no minutes or seconds, and needs a unit", arguments: ["1m", "90s", "30", "d", "0d", "", "1.5d", "1000001d"])
    func refused(_ text: String) {
        #expect(throws: (any Error).self) { _ = try SnapshotAge.parse(text) }
    }
}
