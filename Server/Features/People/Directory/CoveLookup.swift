package import Database

/// What profiles need to know about coves. The Coves feature implements it; People does not import Coves.
package protocol CoveLookup: Sendable {
    /// In how many coves the account is a member.
    func coveCount(of account: String, _ tx: ReadTransaction) throws -> Int
    /// Whether both are members of one cove.
    func haveCommonCove(_ account: String, _ other: String, _ tx: ReadTransaction) throws -> Bool
    /// The id of the cove that the account joined first; `nil` when it is in none.
    func firstCove(of account: String, _ tx: ReadTransaction) throws -> String?
}
