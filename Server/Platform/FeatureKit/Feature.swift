package import Blobs
package import Database
package import Jobs
package import ServiceLifecycle
package import Web

/// A feature states here everything it brings; nothing else in the server names it, except the list in `Apps/keepsake/Features.swift`.
///
/// What a type states (`static`) is known before a feature is made. A feature is made by `init(_ context: FeatureContext, …)`, with what
/// only it needs behind the context. Everything but `openAPI`, `migrations` and `addRoutes` is empty by default.
package protocol Feature: TableOwner {
    // MARK: Routes

    /// Which paths are the feature's, and in which dialect errors below them are answered when no route matches.
    static var surfaces: [PathSurface] { get }
    /// The feature's `openapi.yaml`: its part of the description of the API.
    static var openAPI: [UInt8] { get }
    /// Called once, at start-up: handlers are made here or in `init`, not per request.
    func addRoutes(to routes: Routes)

    // MARK: Work

    var jobs: [JobHandler] { get }
    /// Jobs that take minutes. They run in places of their own, so that other jobs do not wait for them.
    var longJobs: [JobHandler] { get }
    /// Loops that run while the server does.
    var services: [any Service] { get }

    // MARK: What others show, count and delete

    /// Entries on the timeline and in search results.
    var entryKinds: [EntryKind] { get }
    /// How the feature drops its references to a file that is deleted from the library.
    static var fileUses: [FileUse] { get }
    /// How rows from before the quota counted rows are counted.
    static var rowCounters: [RowCounter] { get }
    /// Columns that hold blob keys, for `keepsake verify`.
    static var blobReferences: [BlobReferences] { get }
    /// Full-text indexes, which the engine scrubs after an account was deleted.
    static var tokenTables: [TokenTable] { get }
    /// Deletes some of the account's rows in tables that end by `.room`. It depends on nothing but the rows: `AccountData` calls it until it
    /// returns 0, also after a crash.
    /// - Parameter limit: about how many rows, so that no other write waits long.
    /// - Returns: how many rows were deleted; 0 when none is left.
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int
    /// The account's files in this feature, in an order that does not change, for the account's archive.
    /// - Parameter last: the last file of the page before.
    /// - Returns: at most `limit` files; none when there are no more.
    func originals(of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction) throws -> [OriginalFile]

    // MARK: Operation

    /// Settings that the person who runs the server may give, beside those in `Apps/keepsake/Settings.swift`.
    static var settings: [any FeatureSettingReader] { get }
    /// What `keepsake doctor` proves by doing.
    var examinations: [Examination] { get }
}

extension Feature {
    package static var surfaces: [PathSurface] { [] }
    package var jobs: [JobHandler] { [] }
    package var longJobs: [JobHandler] { [] }
    package var services: [any Service] { [] }
    package var entryKinds: [EntryKind] { [] }
    package static var fileUses: [FileUse] { [] }
    package static var rowCounters: [RowCounter] { [] }
    package static var blobReferences: [BlobReferences] { [] }
    package static var tokenTables: [TokenTable] { [] }
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    package func originals(
        of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction
    ) throws -> [OriginalFile] { [] }
    package static var settings: [any FeatureSettingReader] { [] }
    package var examinations: [Examination] { [] }
}
