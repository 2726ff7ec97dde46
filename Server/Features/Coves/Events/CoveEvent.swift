import Core
import Database
import KeepsakeWire
import Media
import Web

/// A row of the table `cove_event`.
struct CoveEvent: Sendable, Equatable {
    let id: String
    let cove: String
    /// The account that created it.
    let host: String
    var name: String
    var description: String?
    /// In whole milliseconds, as responses show it.
    var date: Timestamp
    var location: String
    /// The media library's id of the cover picture, which belongs to `coverOwner`.
    var cover: String?
    var coverOwner: String?
    /// How often it was changed.
    var revision: Int
    let createdAt: Timestamp
    var changedAt: Timestamp

    /// Identifies an event in stored responses.
    var resource: CreatedResource { Self.resource(id) }
    static func resource(_ id: String) -> CreatedResource { CreatedResource(kind: kind, id: id) }
    static let kind = "cove-event"

    /// Bytes that the row counts against the host's quota.
    var rowBytes: Int64 { RowBytes.count(searchable: [], tags: [], plain: [name, description, location]) }

    var created: CreatedCoveEvent.Fields {
        CreatedCoveEvent.Fields(
            id: id, name: name, description: description, date: date.date, location: location, coveId: cove, createdAt: createdAt.date)
    }
}

extension CoveEvent: TableRow {
    static let table = Table<CoveEvent>("cove_event")

    init(_ row: inout RowReader, writing event: CoveEvent?) throws {
        id = try row.next("id", event?.id)
        cove = try row.next("cove", event?.cove)
        host = try row.next("host", event?.host)
        name = try row.next("name", event?.name)
        description = try row.next("description", event?.description)
        date = try row.next("date", event?.date)
        location = try row.next("location", event?.location)
        cover = try row.next("cover", event?.cover)
        coverOwner = try row.next("cover_owner", event?.coverOwner)
        revision = try row.next("revision", event?.revision)
        createdAt = try row.next("created_at", event?.createdAt)
        changedAt = try row.next("changed_at", event?.changedAt)
    }
}

/// A row of the table `cove_rsvp`.
struct RSVP: Sendable, Equatable {
    let id: String
    let event: String
    let cove: String
    let account: String
    var status: RSVPStatus
    /// When the person first answered.
    let createdAt: Timestamp

    var data: RSVPResponse.Fields {
        RSVPResponse.Fields(id: id, status: status, eventId: event, userId: account, createdAt: createdAt.date)
    }
}

extension RSVP: TableRow {
    static let table = Table<RSVP>("cove_rsvp")

    init(_ row: inout RowReader, writing rsvp: RSVP?) throws {
        id = try row.next("id", rsvp?.id)
        event = try row.next("event", rsvp?.event)
        cove = try row.next("cove", rsvp?.cove)
        account = try row.next("account", rsvp?.account)
        status = try row.next("status", rsvp?.status)
        createdAt = try row.next("created_at", rsvp?.createdAt)
    }
}
