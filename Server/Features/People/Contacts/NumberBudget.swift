/// The daily limit of looked-up phone numbers, for other features whose responses reveal something about a number's owner. All routes share
/// one limit, so that nobody can use an additional route to try more numbers.
package struct NumberBudget: Sendable {
    let store: ContactStore

    /// Counts the texts of a request. Call it before the numbers are looked up. Numbers that the account has looked up today already do not
    /// count.
    /// - Parameters:
    ///   - texts: the texts in the request.
    ///   - e164: the number of each text; `nil` for a text that is not a number.
    /// - Throws: `.tooManyRequests` when the limit would be exceeded; then none of the texts counts.
    package func count(_ texts: [String], e164: [String?], of account: String) async throws {
        try await store.count(ContactRules.numbers(texts, e164: e164).counted, of: account)
    }
}
