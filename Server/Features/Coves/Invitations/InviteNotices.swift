import Live

extension Event.Kind {
    static var coveInvited: Event.Kind { "cove.invited" }
}

/// The payload of `cove.invited`.
struct CoveInviteNotice: Codable, Sendable {
    let inviteId: String
    let coveId: String
}
