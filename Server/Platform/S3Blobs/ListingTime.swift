import Core

/// The times in a store's listings: `2009-10-12T17:50:30.000Z`.
enum ListingTime {
    /// - Returns: `nil` for any other text, and for a time that does not exist. The numbers come from the store: without this check, a year of
    ///   twenty digits would overflow, which ends the server.
    static func parse(_ text: some StringProtocol) -> Timestamp? {
        let digits = text.split { !$0.isNumber }.prefix(6).compactMap { Int64($0) }
        guard digits.count == 6, text.last == "Z", 1...9_999 ~= digits[0],
            let date = CivilDate(year: digits[0], month: digits[1], day: digits[2]), 0...23 ~= digits[3], 0...59 ~= digits[4],
            0...60 ~= digits[5]
        else { return nil }
        return Timestamp(seconds: date.daysSince1970 * 86_400 + digits[3] * 3_600 + digits[4] * 60 + digits[5])
    }
}
