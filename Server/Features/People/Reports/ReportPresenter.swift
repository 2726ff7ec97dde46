import Core
import KeepsakeWire

extension AdminReport {
    init(_ entry: ReportStore.Entry) {
        let report = entry.report
        self.init(
            id: report.id, status: report.status, reason: report.reason, createdAt: report.createdAt.date,
            reporter: Person(id: report.reporter, name: entry.reporterName),
            subject: Subject(kind: report.kind, id: report.subject, name: entry.subject?.name, accountID: entry.subject?.account),
            resolvedAt: report.resolvedAt?.date, resolvedBy: report.resolvedBy, note: report.note)
    }
}
