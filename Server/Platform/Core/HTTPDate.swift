import Synchronization

/// Dates in HTTP headers (RFC 9110 §5.6.7). Writes the preferred format; reads all three.
package enum HTTPDate {
    /// The preferred format, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
    /// - Parameter seconds: since 1970; a time outside the years 1...9999 counts as the first or last second of them.
    package static func format(seconds: Int64) -> String {
        let seconds = min(max(seconds, -62_135_596_800), 253_402_300_799)
        let time = Timestamp(seconds: seconds)
        let days = time.daysSince1970
        let date = CivilDate(daysSince1970: days)
        let second = seconds - days * 86_400
        return String(unsafeUninitializedCapacity: 29) { text in
            var length = 0
            func write(_ bytes: some Sequence<UInt8>) {
                for byte in bytes {
                    text[length] = byte
                    length += 1
                }
            }
            func write(_ number: Int64, digits: Int) {
                var rest = number
                for index in (0..<digits).reversed() {
                    text[length + index] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                length += digits
            }
            write(weekdays[date.weekday].utf8.prefix(3))
            write(", ".utf8)
            write(date.day, digits: 2)
            write(" ".utf8)
            write(months[Int(date.month) - 1].utf8)
            write(" ".utf8)
            write(date.year, digits: 4)
            write(" ".utf8)
            write(second / 3_600, digits: 2)
            write(":".utf8)
            write(second / 60 % 60, digits: 2)
            write(":".utf8)
            write(second % 60, digits: 2)
            write(" GMT".utf8)
            return length
        }
    }

    /// The current time, formatted once a second.
    package static var now: String {
        let second = WallClock.system.now.seconds
        return last.withLock { last in
            if last.second != second { last = (second, format(seconds: second)) }
            return last.text
        }
    }

    private static let last = Mutex<(second: Int64, text: String)>((.min, ""))

    /// - Parameter now: decides the century of a year of two digits.
    /// - Returns: whole seconds since 1970; `nil` for a text in none of the formats, and for a day or time that does not exist. The text
    ///   must name a weekday, but not necessarily the one of that date.
    package static func parse(_ text: String, now: @autoclosure () -> Timestamp = WallClock.system.now) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            var scanner = Scanner(rest: bytes[...])
            if let date = scanner.preferred() { return date }
            scanner = Scanner(rest: bytes[...])
            if let date = scanner.ofRFC850(now()) { return date }
            scanner = Scanner(rest: bytes[...])
            return scanner.asctime()
        }
    }

    fileprivate static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    fileprivate static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

/// Reads a date from the start of `rest`, in one of three formats. A method that returns `nil` may have consumed a part of `rest`.
private struct Scanner {
    var rest: Slice<UnsafeBufferPointer<UInt8>>

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    mutating func preferred() -> Int64? {
        guard skipWeekday(letters: 3), skip(", "), let day = number(2), skip(" "), let month = month(), skip(" "),
            let year = number(4), skip(" "), let time = time(), skip(" GMT"), rest.isEmpty
        else { return nil }
        return seconds(year, month, day, time)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    mutating func ofRFC850(_ now: Timestamp) -> Int64? {
        guard skipWeekday(letters: .max), skip(", "), let day = number(2), skip("-"), let month = month(), skip("-"),
            let short = number(2), skip(" "), let time = time(), skip(" GMT"), rest.isEmpty
        else { return nil }
        // A date that would be more than 50 years in the future belongs to the century before.
        let century = CivilDate(daysSince1970: now.daysSince1970).year / 100 * 100
        let limit = now.seconds + 50 * 31_556_952
        for year in [century + 100 + short, century + short, century - 100 + short] {
            if let seconds = seconds(year, month, day, time), seconds <= limit { return seconds }
        }
        return nil
    }

    /// `Sun Nov  6 08:49:37 1994`
    mutating func asctime() -> Int64? {
        guard skipWeekday(letters: 3), skip(" "), let month = month(), skip(" "), let day = skip(" ") ? number(1) : number(2), skip(" "),
            let time = time(), skip(" "), let year = number(4), rest.isEmpty
        else { return nil }
        return seconds(year, month, day, time)
    }

    private func seconds(_ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64) -> Int64? {
        CivilDate(year: year, month: month, day: day).map { $0.daysSince1970 * 86_400 + time }
    }

    /// `08:49:37` in seconds. In Unix time, a leap second is the same instant as the next whole second.
    private mutating func time() -> Int64? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private mutating func month() -> Int64? {
        HTTPDate.months.firstIndex { skip($0) }.map { Int64($0) + 1 }
    }

    private mutating func skipWeekday(letters: Int) -> Bool {
        HTTPDate.weekdays.contains { skip($0.utf8.prefix(letters)) }
    }

    private mutating func skip(_ text: String) -> Bool { skip(text.utf8[...]) }

    private mutating func skip(_ text: Substring.UTF8View) -> Bool {
        guard rest.starts(with: text) else { return false }
        rest = rest.dropFirst(text.count)
        return true
    }

    private mutating func number(_ digits: Int) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        rest = rest.dropFirst(digits)
        return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}
