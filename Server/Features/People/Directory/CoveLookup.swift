package import Database

/// What profiles need to know about coves. The Coves feature implements it, because People does not import Coves.
package protocol CoveLookup: Sendable {
    /// In how many coves the account is a member.
    func coveCount(of account: String, _ tx: ReadTransaction) throws -> Int
    /// Whether the two accounts are members of a common cove.
    func haveCommonCove(_ account: String, _ other: String, _ tx: ReadTransaction) throws -> Bool
    /// The id of the cove that the account joined first; `nil` when it is in none.
    func firstCove(of account: String, _ tx: ReadTransaction) throws -> String?
    /// What the operator sees of reported coves and events, by id. Ids of coves and events that do not exist are left out.
    /// - Parameters:
    ///   - coves: at most 100 ids.
    ///   - events: at most 100 ids.
    func reported(
        coves: [String], events: [String], _ tx: ReadTransaction
    ) throws -> (coves: [String: ReportedThing], events: [String: ReportedThing])
}

/// A cove, an event, a photo or a person that somebody reported, as the operator sees it.
package struct ReportedThing: Sendable, Equatable {
    /// The thing's name; `nil` for a photo.
    package let name: String?
    /// The account of the cove's creator, the event's host, the photo's owner or the person; `nil` when it no longer exists.
    package let account: String?

    package init(name: String?, account: String?) {
        self.name = name
        self.account = account
    }
}

extension CoveLookup {
    /// By default, no cove and no event is found.
    package func reported(
        coves: [String], events: [String], _ tx: ReadTransaction
    ) throws -> (coves: [String: ReportedThing], events: [String: ReportedThing]) { ([:], [:]) }
}
