package import Blobs
package import Database
package import Jobs
package import ServiceLifecycle
package import Web

/// A feature declares everything it contributes here. No other code names the feature, except the list in `Apps/keepsake/Features.swift`.
///
/// `static` members are available before the feature is created. `init(_ context: FeatureContext, …)` creates it; parameters after the
/// context are what only this feature needs. Everything but `openAPI`, `migrations` and `addRoutes` has an empty default.
package protocol Feature: TableOwner {
    // MARK: Routes

    /// The feature's path prefixes, each with its surface. If no route matches a path below a prefix, the dialect of that surface renders
    /// the error.
    static var surfaces: [PathSurface] { get }
    /// The content of the feature's `openapi.yaml`, its part of the API description.
    static var openAPI: [UInt8] { get }
    /// Called once, at start-up. Create handlers here or in `init`, not per request.
    func addRoutes(to routes: Routes)

    // MARK: Background work

    var jobs: [JobHandler] { get }
    /// Jobs that take minutes. They have their own concurrency limit, so that other jobs do not wait for them.
    var longJobs: [JobHandler] { get }
    /// Jobs that wait seconds for another service, or whose work yields to requests. They have their own concurrency limit.
    var patientJobs: [JobHandler] { get }
    /// Jobs that send mail. They have their own concurrency limit, because a slow mail server keeps each of them for up to a minute.
    var mailJobs: [JobHandler] { get }
    /// Jobs that keep every core busy for minutes or hours, at low priority. A node runs one at a time.
    var heavyJobs: [JobHandler] { get }
    /// Background loops that run as long as the server.
    var services: [any Service] { get }
    /// Services that stop before the server drains, because they end responses that would otherwise stay open.
    var frontServices: [any Service] { get }

    // MARK: Timeline, search, counting and deletion

    /// The kinds of entries that the feature shows on the timeline and in search results.
    var entryKinds: [EntryKind] { get }
    /// How the feature drops its references to a file that is deleted from the library.
    static var fileUses: [FileUse] { get }
    /// How to count rows that older releases stored, in which the quota counted only files.
    static var rowCounters: [RowCounter] { get }
    /// Columns that hold blob keys; `keepsake verify` reads them.
    static var blobReferences: [BlobReferences] { get }
    /// Full-text indexes that the engine scrubs after an account was deleted.
    static var tokenTables: [TokenTable] { get }
    /// Deletes some of the account's rows in the tables whose `ending` is `.batches`. `AccountData` calls it until it returns 0, and again
    /// after a crash, so it must depend on nothing but the rows.
    /// - Parameter limit: about how many rows to delete. It keeps the transaction short, so that other writes do not wait long. If a row
    ///   may be longer than 10 KB, `deletionStep` limits the bytes, too.
    /// - Returns: how many rows were deleted; 0 when none is left.
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int
    /// Called in the last write of the erasure, which deletes the account's row. It deletes the rows that requests inserted after the last
    /// call of `erase`, or gives them to other accounts. After the account's row is deleted, none of its rows can be inserted.
    func endErasing(_ account: String, _ tx: WriteTransaction) throws
    /// A page of the account's files in this feature, in a stable order, for the account's archive.
    /// - Parameter last: the last file of the previous page; `nil` for the first page.
    /// - Returns: at most `limit` files; empty when there are no more.
    func originals(of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction) throws -> [OriginalFile]

    // MARK: Accounts that others no longer see

    /// Called in the write that closes or suspends an account, before the account's own row changes. Afterwards nobody else may see
    /// anything of the account: not in lists, counts, names, links or live events.
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws
    /// Steps that precede `hide` when an account is closed. Each step has a write of its own, so that the write that closes the account is
    /// short. Empty by default.
    var handingSteps: [HandingSteps] { get }
    /// Called in the write that ends an account's suspension. It undoes what `hide` did.
    func show(_ account: String, _ tx: WriteTransaction) throws

    // MARK: Operation

    /// The feature's own settings for the operator, in addition to those in `Apps/keepsake/Settings.swift`.
    static var settings: [any FeatureSettingReader] { get }
    /// The feature's checks for `keepsake doctor`.
    var examinations: [Examination] { get }
}

extension Feature {
    package static var surfaces: [PathSurface] { [] }
    package var jobs: [JobHandler] { [] }
    package var longJobs: [JobHandler] { [] }
    package var patientJobs: [JobHandler] { [] }
    package var mailJobs: [JobHandler] { [] }
    package var heavyJobs: [JobHandler] { [] }
    package var services: [any Service] { [] }
    package var frontServices: [any Service] { [] }
    package var entryKinds: [EntryKind] { [] }
    package static var fileUses: [FileUse] { [] }
    package static var rowCounters: [RowCounter] { [] }
    package static var blobReferences: [BlobReferences] { [] }
    package static var tokenTables: [TokenTable] { [] }
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    package func endErasing(_ account: String, _ tx: WriteTransaction) throws {}
    package func originals(
        of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction
    ) throws -> [OriginalFile] { [] }
    package func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {}
    package var handingSteps: [HandingSteps] { [] }
    package func show(_ account: String, _ tx: WriteTransaction) throws {}
    package static var settings: [any FeatureSettingReader] { [] }
    package var examinations: [Examination] { [] }
}

/// Gives something of an account to other people, or ends it, in steps. If the server stops between two steps, the account stays open: what
/// was given stays with the other people, and what was ended does not come back.
package struct HandingSteps: Sendable {
    /// Whether the steps run only if the account's coves are kept.
    package let onlyIfCovesAreKept: Bool
    /// Runs one step in a write.
    /// - Parameters:
    ///   - account: the account that is about to be closed.
    ///   - last: what the last step returned; empty for the first step.
    /// - Returns: where the next step begins; `nil` when no step is left.
    package let run: @Sendable (_ account: String, _ last: String, _ tx: WriteTransaction) throws -> String?

    package init(
        onlyIfCovesAreKept: Bool, _ run: @escaping @Sendable (_ account: String, _ last: String, _ tx: WriteTransaction) throws -> String?
    ) {
        self.onlyIfCovesAreKept = onlyIfCovesAreKept
        self.run = run
    }
}

/// Why an account becomes invisible to everybody else.
package enum HidingReason: Sendable, Equatable {
    /// Its owner deleted it; a job deletes its rows later.
    /// - Parameter keepsCoves: whether coves that it created are handed to another member instead of ending.
    case closed(keepsCoves: Bool)
    /// The operator suspended it and may restore it.
    case suspended
}
