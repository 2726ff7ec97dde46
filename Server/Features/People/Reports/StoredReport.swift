import Core
import Database
import KeepsakeWire
import Web

/// A report, as the store keeps it.
struct StoredReport: Sendable, Equatable {
    let id: String
    let reporter: String
    let kind: ReportKind
    /// The id of the person, the cove, the event or the photo, as it was reported. It may name nothing.
    let subject: String
    let reason: String
    let createdAt: Timestamp
    /// `nil` while the report is open.
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
