/// The daily limit of looked-up phone numbers, for other features whose responses tell something about a number's owner. All routes share
/// one limit, so that no route helps to try the whole number space.
package struct NumberBudget: Sendable {
    let store: ContactStore

    /// Counts the texts of a request. Call it before the numbers are looked up. Numbers that the account has tried today are free.
    /// - Parameters:
    ///   - texts: as the request wrote them.
    ///   - e164: the number of each text; `nil` for a text that is not a number.
    /// - Throws: `.tooManyRequests` when the limit would be exceeded; then none of them counts.
    package func count(_ texts: [String], e164: [String?], of account: String) async throws {
        try await store.count(ContactRules.numbers(texts, e164: e164).counted, of: account)
    }
}
