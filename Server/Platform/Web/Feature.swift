package import Blobs
package import Core
package import Database
package import Jobs
package import ServiceLifecycle

/// A room's front door: everything the server needs to know of it.
package protocol Feature: Sendable {
    /// The room's schema, in the order it is to be applied. Append-only.
    static var migrations: [Migration] { get }
    /// Loops the room needs while the server runs.
    var services: [any Service] { get }
    /// What does the room's jobs.
    var jobs: [JobHandler] { get }
    /// Likewise, where one takes minutes: they have places of their own, so that nothing else waits for them.
    var longJobs: [JobHandler] { get }
    /// Its tables that hold what is somebody's: for whoever takes their data away, or has it deleted.
    static var personalTables: [PersonalTable] { get }
    /// Erases something of what `account` has in its tables that end by their room, in dependence of nothing but the rows: called again
    /// until nothing is left, also after a crash.
    /// - Parameter limit: about how many rows, so that no other write waits long.
    /// - Returns: how many are gone; 0 when nothing is left.
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int
    /// The files that `account` has here, in an order that does not change.
    /// - Parameter last: of the page before.
    /// - Returns: at most `limit`; none when there are no more.
    func originals(of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction) throws -> [OriginalFile]
    /// Its part of the description of the API: the room's `openapi.yaml`.
    static var openAPI: [UInt8] { get }
    func addRoutes(to routes: Routes)
}

extension Feature {
    package var services: [any Service] { [] }
    package var jobs: [JobHandler] { [] }
    package var longJobs: [JobHandler] { [] }
    package static var personalTables: [PersonalTable] { [] }
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    package func originals(
        of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction
    ) throws -> [OriginalFile] { [] }
}

/// A file as its owner sent it.
package struct OriginalFile: Sendable {
    package let id: String
    /// As its owner called it: anything.
    package let name: String
    package let blob: BlobKey
    package let byteCount: Int64
    package let createdAt: Timestamp

    package init(id: String, name: String, blob: BlobKey, byteCount: Int64, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.blob = blob
        self.byteCount = byteCount
        self.createdAt = createdAt
    }
}
