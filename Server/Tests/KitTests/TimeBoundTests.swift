import Foundation
import KeepsakeKit
import Testing

@Suite("KeepsakeKit's ranges of time")
struct TimeBoundTests {
    @Test("a day is that of a time zone, and a time is in UTC with milliseconds")
    func texts() throws {
        let date = Date(timeIntervalSince1970: 1_780_340_400.25)
        #expect(date.rangeText == "2026-06-01T19:00:00.250Z")
        for (zone, day) in [("Europe/Berlin", "2026-06-01"), ("Asia/Tokyo", "2026-06-02"), ("Pacific/Honolulu", "2026-06-01")] {
            let timeZone = try #require(TimeZone(identifier: zone))
            #expect(CalendarDay(of: date, in: timeZone).text == day, "\(zone)")
            #expect(CalendarDay(of: date, in: timeZone).rangeText == day, "\(zone)")
        }
        #expect(CalendarDay("2026-06-01") == "2026-06-01")
    }
}
