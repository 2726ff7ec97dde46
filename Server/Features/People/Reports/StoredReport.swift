import Core
import Database
import KeepsakeWire
import Web

/// A row of `report`.
struct StoredReport: Sendable, Equatable {
    let id: String
    let reporter: String
    let kind: ReportKind
    /// The reported id of a person, a cove, an event or a photo. It may be the id of nothing.
    let subject: String
    let reason: String
    let createdAt: Timestamp
    /// When the report was resolved; `nil` while it is open.
    var resolvedAt: Timestamp?
    var resolvedBy: String?
    var note: String?

    var status: ReportStatus { resolvedAt == nil ? .open : .resolved }
    var resource: CreatedResource { CreatedResource(kind: "report", id: id) }
    var timeKey: TimeKey { TimeKey(at: createdAt, id: id) }
}

extension StoredReport: TableRow {
    static let table = Table<StoredReport>("report")

    init(_ row: inout RowReader, writing report: StoredReport?) throws {
        self.init(
            id: try row.next("id", report?.id), reporter: try row.next("reporter", report?.reporter),
            kind: try row.next("kind", report?.kind), subject: try row.next("subject", report?.subject),
            reason: try row.next("reason", report?.reason), createdAt: try row.next("created_at", report?.createdAt),
            resolvedAt: try row.next("resolved_at", report?.resolvedAt), resolvedBy: try row.next("resolved_by", report?.resolvedBy),
            note: try row.next("note", report?.note))
    }
}
