import Live

/// The payload of this feature's events: it identifies the asset. Clients read its current state from the library.
struct MediaEvent: Codable, Sendable {
    let id: String
    let category: String
    let groupId: String?

    init(_ asset: Asset) {
        id = asset.id
        category = asset.category
        groupId = asset.groupID
    }
}

extension Event.Kind {
    static let mediaAdded: Event.Kind = "media.added"
    static let mediaChanged: Event.Kind = "media.changed"
    static let mediaDeleted: Event.Kind = "media.deleted"
}
