import Core
import Database
import Jobs
import KeepsakeWire
import Web

/// `GET /admin/jobs`: jobs in one state, by kind, then by the time they are due.
struct ListJobs: Sendable {
    let store: JobStore
    let cursors: Cursors

    /// - Throws: `.forbidden` unless the caller is an administrator; `.invalid` naming `limit`, `cursor` or `kind`.
    func handle(_ input: ListAdminJobsInput, _ context: WebContext) async throws -> AdminJobList {
        let administrator = try context.requireAdministrator()
        let state = try JobState(input.state ?? .parked)
        let kind = try TextRules.optionalLine(input.kind, field: "kind", max: 100)
        let paging = try Paging<JobKey>(
            "jobs", of: [administrator.accountID, state.rawValue, kind ?? ""], after: input.cursor, limit: try PageSize.read(input.limit),
            cursors)
        let request = paging.request
        let rows = try await store.list(state: state, kind: kind, after: request.after?.cursor, limit: request.rowLimit)
        let page = Page(rows, limit: request.limit) { JobKey(cursor: $0.cursor) }
        return AdminJobList(jobs: page.rows.map(AdminJob.init), nextCursor: paging.cursor(page.next))
    }
}

/// The sort key that a cursor of the list carries.
struct JobKey: CursorKey {
    let cursor: JobCursor

    static let partCount = 3
    var cursorParts: [String] { [cursor.kind, String(cursor.runAt.microseconds), cursor.id] }

    init(cursor: JobCursor) { self.cursor = cursor }

    init?(cursorParts parts: [String]) {
        guard let microseconds = Int64(parts[1]) else { return nil }
        cursor = JobCursor(kind: parts[0], runAt: Timestamp(microseconds: microseconds), id: parts[2])
    }
}

extension JobState {
    /// Both types use the same words for the states.
    fileprivate init(_ state: AdminJobState) throws {
        guard let state = JobState(rawValue: state.rawValue) else { throw Problem(.invalid, "There is no such state.", field: "state") }
        self = state
    }
}

extension AdminJob {
    init(_ job: JobEntry) {
        let state: AdminJobState =
            switch job.state {
            case .ready: .ready
            case .running: .running
            case .parked: .parked
            }
        self.init(
            id: job.id, kind: job.kind, state: state, accountID: job.owner, tries: job.tries, createdAt: job.createdAt.date,
            runAt: job.runAt.date, node: job.worker, error: job.error)
    }
}
