package import Accounts
import Core
package import Database
package import FeatureKit
package import Jobs
import KeepsakeWire
import Logging
package import Web

/// Export, deletion and suspension of whole accounts. Every feature declares its personal tables, deletes what a single statement cannot,
/// and hides what others saw. This feature's own table lists the deletions.
package struct AccountDataFeature: Feature {
    /// What the operator does to accounts.
    package let operations: AccountOperations
    /// For the restore of a backup.
    package let repeatDeletions: RepeatDeletions
    package let deletionLog: DeletionLog
    private let accounts: AccountsFeature
    private let delete: DeleteAccount
    private let deleteUser: DeleteUser
    private let listUsers: ListUsers
    private let logger: Logger
    private let eraser: AccountEraser
    private let export: ExportAccount

    /// - Parameter others: all other features, in the order of their migrations: a feature follows those that its foreign keys refer to.
    package init(_ context: FeatureContext, accounts: AccountsFeature, others: [any Feature]) {
        self.accounts = accounts
        let owners: [any TableOwner.Type] = PlatformTables.owners + others.map { type(of: $0) }
        let tables = owners.flatMap { $0.personalTables }
        let visibility = AccountVisibility(features: others)
        let close = CloseAccount(accounts: accounts, visibility: visibility, jobs: context.jobs)
        operations = AccountOperations(accounts: accounts, visibility: visibility, clock: context.clock)
        repeatDeletions = RepeatDeletions(accounts: accounts, operations: operations, close: close)
        deletionLog = DeletionLog(database: context.database)
        delete = DeleteAccount(accounts: accounts, close: close, clock: context.clock)
        deleteUser = DeleteUser(accounts: accounts, close: close, clock: context.clock)
        listUsers = ListUsers(accounts: accounts, cursors: context.cursors)
        logger = context.logger
        eraser = AccountEraser(
            database: context.database, accounts: accounts, features: others.reversed(), tables: tables,
            tokenTables: others.flatMap { type(of: $0).tokenTables }, blobs: context.blobs, ledger: context.ledger, jobs: context.jobs,
            clock: context.clock, scrubInterval: .hours(Int64(context.settings[Self.scrubHours])), logger: context.logger)
        export = ExportAccount(
            reader: PersonalReader(database: context.database, features: others, tables: tables), blobs: context.blobs,
            clock: context.clock)
    }

    package static var migrations: [Migration] { DeletionLog.migrations }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] {
        [PathSurface("/auth", .capsules), PathSurface("/admin", .capsules), PathSurface("/delete-user", .coves)]
    }

    /// The minimum time between two scrubs of the engine's files; one scrub serves all accounts deleted since the last. 0 scrubs for each
    /// account at once.
    package static let scrubHours = FeatureSetting(
        "scrub_hours", default: 1, in: 0...720,
        help: "Hours between scrubs of SQLite's files after deletions, 0…720; 0: at once. Default: 1")
    package static var settings: [any FeatureSettingReader] { [scrubHours] }

    package var jobs: [JobHandler] {
        [
            JobHandler(EraseAccount.self) { [eraser] in try await eraser.erase($0) },
            JobHandler(ScrubDatabase.self) { [eraser] _ in try await eraser.scrub() },
            JobHandler(RevokeTokens.self) { [accounts] in try await accounts.revokeAppleTokens(of: $0.payload.account) },
        ]
    }

    package func addRoutes(to routes: Routes) {
        routes.serve(AccountDataEndpoints.delete, delete.handle)
        routes.serve(AccountDataEndpoints.deleteUser, deleteUser.handle)
        routes.serve(AdminEndpoints.users, listUsers.handle)
        for (endpoint, action) in [
            (AdminEndpoints.suspend, AccountOperations.Action.suspend), (AdminEndpoints.restore, .restore),
            (AdminEndpoints.verify, .verify), (AdminEndpoints.unverify, .unverify),
        ] {
            routes.serve(endpoint, AdministerUser(action: action, operations: operations, logger: logger).handle)
        }
        routes.serve(download: AccountDataEndpoints.export, export.handle)
    }
}
