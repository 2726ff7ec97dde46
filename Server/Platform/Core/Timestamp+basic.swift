extension Timestamp {
    /// The time in UTC in whole seconds, in the basic format of ISO 8601: `20130524T000000Z`. Use it only for the years 0...9999; the texts
    /// of these sort by time.
    package var basicISO8601: String {
        func digits(_ number: Int64, _ count: Int = 2) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let days = daysSince1970
        let date = CivilDate(daysSince1970: days)
        let second = seconds - days * 86_400
        let time = "\(digits(second / 3_600))\(digits(second / 60 % 60))\(digits(second % 60))"
        return "\(digits(date.year, 4))\(digits(date.month))\(digits(date.day))T\(time)Z"
    }
}
