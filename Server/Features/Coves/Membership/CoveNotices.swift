import Live

extension Event.Kind {
    static var coveJoined: Event.Kind { "cove.joined" }
    static var coveLeft: Event.Kind { "cove.left" }
    static var coveEnded: Event.Kind { "cove.ended" }
}

/// The payload of `cove.joined` and `cove.left`: which cove, and who. Clients read the current state from the API.
struct CoveMemberNotice: Codable, Sendable {
    let coveId: String
    /// The account's id.
    let userId: String
}

/// The payload of `cove.ended`.
struct CoveNotice: Codable, Sendable {
    let coveId: String
}
