import Core
import Database
import Foundation
import KeepsakeWire
import Media
import Web

/// A row of the table `cove`.
struct Cove: Sendable, Equatable {
    let id: String
    /// The account that created the cove, even if it has left, or to which the cove was handed.
    var creator: String?
    var name: String
    var description: String?
    var location: String
    /// The media library's id of the cover picture, which belongs to `coverOwner`.
    var cover: String?
    var coverOwner: String?
    var joining: CoveJoining
    /// The number of members, without closed and suspended accounts.
    var memberCount: Int
    /// Events that have not ended.
    var eventCount: Int
    let createdAt: Timestamp

    /// Identifies a cove in stored responses.
    var resource: CreatedResource { CreatedResource(kind: Self.kind, id: id) }
    static let kind = "cove"

    /// Bytes that the row counts against the creator's quota.
    var rowBytes: Int64 { RowBytes.count(searchable: [], tags: [], plain: [name, description, location]) }
}

extension Cove: TableRow {
    static let table = Table<Cove>("cove")

    init(_ row: inout RowReader, writing cove: Cove?) throws {
        id = try row.next("id", cove?.id)
        creator = try row.next("creator", cove?.creator)
        name = try row.next("name", cove?.name)
        description = try row.next("description", cove?.description)
        location = try row.next("location", cove?.location)
        cover = try row.next("cover", cove?.cover)
        coverOwner = try row.next("cover_owner", cove?.coverOwner)
        joining = try row.next("joining", cove?.joining)
        memberCount = try row.next("member_count", cove?.memberCount)
        eventCount = try row.next("event_count", cove?.eventCount)
        createdAt = try row.next("created_at", cove?.createdAt)
    }
}

/// A row of the table `cove_member`.
struct CoveMember: Sendable, Equatable {
    let id: String
    let cove: String
    let account: String
    var role: CoveRole
    /// Whether this membership has the creator's rights.
    var isCreator: Bool
    let joinedAt: Timestamp

    /// Identifies a membership in stored responses.
    var resource: CreatedResource { CreatedResource(kind: Self.kind, id: id) }
    static let kind = "cove-member"

    var data: MembershipData {
        MembershipData(id: id, coveId: cove, userId: account, role: role, joinedAt: joinedAt.date)
    }
}

extension CoveMember: TableRow {
    static let table = Table<CoveMember>("cove_member")

    init(_ row: inout RowReader, writing member: CoveMember?) throws {
        id = try row.next("id", member?.id)
        cove = try row.next("cove", member?.cove)
        account = try row.next("account", member?.account)
        role = try row.next("role", member?.role)
        isCreator = try row.next("is_creator", member?.isCreator)
        joinedAt = try row.next("joined_at", member?.joinedAt)
    }
}
