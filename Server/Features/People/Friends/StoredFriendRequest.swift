import Core
import Database
import KeepsakeWire
import Web

/// One row of `friend_request`.
struct StoredFriendRequest: Sendable, Equatable {
    let id: String
    let sender: String
    let recipient: String
    let createdAt: Timestamp
    var status = FriendRequestStatus.pending
    /// When it was accepted or rejected; `nil` while it is pending.
    var resolvedAt: Timestamp?
    /// The id of the friendship that began when the request was accepted.
    var friendship: String?

    /// The other person of the request.
    func partner(of person: String) -> String { person == sender ? recipient : sender }

    /// Identifies the request in the stored response to its sender.
    var resource: CreatedResource { CreatedResource(kind: "friend_request", id: id) }
}

extension StoredFriendRequest: TableRow {
    static let table = Table<StoredFriendRequest>("friend_request")

    init(_ row: inout RowReader, writing request: StoredFriendRequest?) throws {
        id = try row.next("id", request?.id)
        sender = try row.next("sender", request?.sender)
        recipient = try row.next("recipient", request?.recipient)
        createdAt = try row.next("created_at", request?.createdAt)
        status = try row.next("status", request?.status)
        resolvedAt = try row.next("resolved_at", request?.resolvedAt)
        friendship = try row.next("friendship", request?.friendship)
    }
}
