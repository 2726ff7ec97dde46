import Core
import Database
import Web

/// The position after a row of the list of recommended friends.
struct RecommendationKey: CursorKey, Equatable {
    /// How many coves the row's person shares with the account.
    let shared: Int
    /// The person's account id.
    let account: String
    /// When the first page was read. Later pages count only memberships from before then, so that people who join meanwhile do not change
    /// the order.
    let asOf: Timestamp

    static let partCount = 3

    var cursorParts: [String] { [String(shared), account, String(asOf.microseconds)] }

    init(shared: Int, account: String, asOf: Timestamp) {
        self.shared = shared
        self.account = account
        self.asOf = asOf
    }

    init?(cursorParts parts: [String]) {
        guard let shared = Int(parts[0]), let microseconds = Int64(parts[2]) else { return nil }
        self.init(shared: shared, account: parts[1], asOf: Timestamp(microseconds: microseconds))
    }
}
