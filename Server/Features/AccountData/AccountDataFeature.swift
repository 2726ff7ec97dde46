package import Accounts
package import Blobs
package import Core
package import Database
package import Jobs
import KeepsakeWire
import Live
package import Logging
package import Web

/// What people have here, as a whole: taken along, or erased with the account. It knows no table of its own; every room registers what
/// is personal in its tables, and erases what needs more than a statement.
package struct AccountDataFeature: Feature {
    private let accounts: AccountsFeature
    private let delete: DeleteAccount
    private let eraser: AccountEraser
    private let export: ExportAccount

    /// - Parameters:
    ///   - rooms: all others, in the order of their migrations: what refers to a room's rows comes after it.
    ///   - wordTables: indexes of words that the engine is to scrub.
    ///   - scrubInterval: the engine scrubs its files at most so often, for all accounts that were erased since; zero: for each at once.
    package init(
        database: any Database, accounts: AccountsFeature, rooms: [any Feature], wordTables: [TokenTable], blobs: any BlobStore,
        ledger: BlobLedger, identifiers: Identifiers, scrubInterval: Duration, logger: Logger
    ) {
        self.accounts = accounts
        let jobs = JobQueue(clock: identifiers.clock, identifiers: identifiers)
        let tables = Self.personalTables + rooms.flatMap { type(of: $0).personalTables }
        delete = DeleteAccount(accounts: accounts, jobs: jobs, clock: identifiers.clock)
        eraser = AccountEraser(
            database: database, accounts: accounts, rooms: rooms.reversed(), tables: tables, wordTables: wordTables, blobs: blobs,
            ledger: ledger, jobs: jobs, clock: identifiers.clock, scrubInterval: scrubInterval, logger: logger)
        export = ExportAccount(
            reader: PersonalReader(database: database, rooms: rooms, tables: tables), blobs: blobs, clock: identifiers.clock)
    }

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml

    /// The platform's, which has no front door of its own.
    package static var personalTables: [PersonalTable] {
        EventLog.personalTables + [
            JobStore.personalTable, UploadJournal.personalTable, IdempotencyStore.personalTable, SharedBuckets.personalTable,
            BlobLedger.personalTable,
        ]
    }

    package var jobs: [JobHandler] {
        [
            JobHandler(EraseAccount.self) { [eraser] in try await eraser.erase($0) },
            JobHandler(ScrubDatabase.self) { [eraser] _ in try await eraser.scrub() },
            JobHandler(RevokeTokens.self) { [accounts] in try await accounts.revokeAppleTokens(of: $0.payload.account) },
        ]
    }

    package func addRoutes(to routes: Routes) {
        let (delete, export) = (delete, export)
        routes.serve(AccountDataEndpoints.delete) { _, context in
            let deleted = try await delete(try context.requireViewer())
            if context.isByCookie { context.setSessionCookie(nil) }
            return deleted
        }
        routes.serve(download: AccountDataEndpoints.export) { _, context in
            try await export(try context.requireViewer(), context.requester) { try await context.count(.export) }
        }
    }
}
