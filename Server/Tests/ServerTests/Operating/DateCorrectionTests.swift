import Core
import Database
import TestKit
import Testing

@testable import keepsake

@Suite("Whether a server may correct times in the database")
struct DateCorrectionTests {
    @Test("it has run for an hour, and PostgreSQL's clock agrees with its clock", arguments: Engine.allCases)
    func clocks(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        let now = WallClock.system.now
        #expect(try await Backend.mayCorrectDates(database, now: now, running: .hours(1)))
        #expect(try await !Backend.mayCorrectDates(database, now: now, running: .minutes(59)))
        for wrong in [now - .days(3), now + .days(3)] {
            let may = try await Backend.mayCorrectDates(database, now: wrong, running: .hours(1))
            #expect(may == (engine == .sqlite))
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
