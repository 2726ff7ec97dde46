import Core
import Database
import KeepsakeWire
import Media
import People
import Web

/// A row of the table `cove_invite`.
struct CoveInvite: Sendable, Equatable {
    let id: String
    let cove: String
    /// In E.164.
    let phone: String
    let sender: String
    let message: String?
    let isOpened: Bool
    let createdAt: Timestamp
    let expiresAt: Timestamp
    /// What the row counts against the sender's quota.
    let rowBytes: Int64

    init(id: String, cove: String, phone: String, sender: String, message: String?, createdAt: Timestamp) {
        self.id = id
        self.cove = cove
        self.phone = phone
        self.sender = sender
        self.message = message
        isOpened = false
        self.createdAt = createdAt
        expiresAt = createdAt + InviteRules.lifetime
        rowBytes = RowBytes.count(searchable: [], tags: [], plain: [phone, message])
    }

    static func resource(_ id: String) -> CreatedResource { CreatedResource(kind: kind, id: id) }
    static let kind = "cove-invite"
}

extension CoveInvite: TableRow {
    static let table = Table<CoveInvite>("cove_invite")

    init(_ row: inout RowReader, writing invite: CoveInvite?) throws {
        id = try row.next("id", invite?.id)
        cove = try row.next("cove", invite?.cove)
        phone = try row.next("phone", invite?.phone)
        sender = try row.next("sender", invite?.sender)
        message = try row.next("message", invite?.message)
        isOpened = try row.next("is_opened", invite?.isOpened)
        createdAt = try row.next("created_at", invite?.createdAt)
        expiresAt = try row.next("expires_at", invite?.expiresAt)
        rowBytes = try row.next("row_bytes", invite?.rowBytes)
    }
}

/// An invitation as the invited person sees it.
struct ReceivedInvite: Sendable, Equatable {
    let id: String
    let message: String?
    let createdAt: Timestamp
    var isOpened: Bool
    let cove: CoveCard
    let description: String?
    let location: String
    let sender: PersonCard

    init(_ row: inout RowReader) throws {
        cove = try CoveCard(&row)
        description = try row.next("description")
        location = try row.next("location")
        id = try row.next("invite")
        message = try row.next("message")
        createdAt = try row.next("created_at")
        isOpened = try row.next("is_opened")
        let sender: String = try row.next("sender")
        self.sender = try PersonCard(&row, id: sender)
    }

    func data(_ presenter: CovePresenter) -> Invite {
        let cover = presenter.cover(cove.cover, of: cove.coverOwner)
        return Invite(
            id: id, message: message, createdAt: createdAt.date, isOpened: isOpened,
            cove: Invite.InvitingCove(
                id: cove.id, name: cove.name, description: description, location: location, coverPhotoId: cover?.id,
                coverPhotoUrl: cover?.url),
            sentBy: Invite.Sender(
                id: sender.id, name: sender.name, profilePhotoId: sender.picture, profilePhotoUrl: presenter.picture(of: sender)))
    }
}
