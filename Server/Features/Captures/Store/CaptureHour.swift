import Core
import Foundation

/// An hour of a user's day. Hours of different time zones overlap. An hour that a change of the clocks repeats counts as two.
struct CaptureHour: Sendable, Hashable, Codable {
    /// The time zone's name.
    let zone: String
    /// `2026-12-31`
    let day: String
    /// 0…23
    let hour: Int
    let start: Timestamp

    init(zone: String, day: String, hour: Int, start: Timestamp) {
        self.zone = zone
        self.day = day
        self.hour = hour
        self.start = start
    }

    /// The hour of `moment` in `zone`. Foundation's calendar takes tens of microseconds, so this computes with the offset alone.
    init(_ moment: Timestamp, in zone: TimeZone) {
        let local = moment.seconds + Int64(zone.secondsFromGMT(for: moment.date))
        let days = Self.floorDivide(local, 86_400)
        let inDay = local - days * 86_400
        let date = CivilDate(daysSince1970: days)
        func digits(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        self.zone = zone.identifier
        day = "\(digits(date.year, 4))-\(digits(date.month, 2))-\(digits(date.day, 2))"
        hour = Int(inDay / 3_600)
        start = Timestamp(seconds: moment.seconds - inDay % 3_600)
    }

    var end: Timestamp { start + .seconds(3_600) }

    /// The zone whose name was stored; UTC when this machine does not know it any more.
    var timeZone: TimeZone { ZoneName.zone(named: zone) ?? .gmt }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

/// The range of times that may belong to a day in any time zone: zones lie between 14 hours before and 12 hours behind UTC, and some exceed
/// that for a time.
enum CaptureDay {
    /// - Returns: `nil` unless `day` is a day like `2026-12-31`.
    static func span(_ day: String) -> Range<Timestamp>? {
        guard let parsed = TimeRange.Day(day),
            let date = CivilDate(year: Int64(parsed.year), month: Int64(parsed.month), day: Int64(parsed.day))
        else { return nil }
        let midnight = Timestamp(daysSince1970: date.daysSince1970)
        return (midnight - .hours(16))..<(midnight + .hours(40))
    }
}
