package import Accounts
import Core
package import Database
package import FeatureKit
package import Jobs
package import KeepsakeWire
package import Media
package import Web

/// Export, deletion and suspension of whole accounts. Every other feature declares its tables of personal data, deletes the data that needs
/// more than one SQL statement, and hides what other users could see of an account. This feature's own table lists the deleted accounts.
package struct AccountDataFeature: Feature {
    /// The actions of the operator on accounts.
    package let operations: AccountOperations
    package let quotaOfAccount: QuotaOfAccount
    package let removal: AccountRemoval
    /// Closes deleted accounts again after the restore of a backup.
    package let repeatDeletions: RepeatDeletions
    package let deletionLog: DeletionLog
    private let accounts: AccountsFeature
    private let delete: DeleteAccount
    private let deleteUser: DeleteUser
    private let listUsers: ListUsers
    private let readUser: ReadUser
    private let log: OperatorLog
    private let database: any Database
    private let eraser: AccountEraser
    private let export: ExportAccount

    /// - Parameters:
    ///   - quotas: how much each account stores and may store.
    ///   - others: all other features, in the order of their migrations: a feature comes after the features that its foreign keys refer to.
    package init(_ context: FeatureContext, accounts: AccountsFeature, quotas: AccountQuotas, others: [any Feature]) {
        self.accounts = accounts
        let owners: [any TableOwner.Type] = PlatformTables.owners + others.map { type(of: $0) }
        let tables = owners.flatMap { $0.personalTables }
        let visibility = AccountVisibility(features: others)
        let close = CloseAccount(accounts: accounts, visibility: visibility, jobs: context.jobs, database: context.database)
        database = context.database
        log = OperatorLog(jobs: context.jobs, clock: context.clock, logger: context.logger)
        operations = AccountOperations(accounts: accounts, visibility: visibility, clock: context.clock, log: log)
        quotaOfAccount = QuotaOfAccount(database: context.database, accounts: accounts, quotas: quotas, log: log)
        removal = AccountRemoval(accounts: accounts, close: close, clock: context.clock, log: log)
        repeatDeletions = RepeatDeletions(accounts: accounts, operations: operations, close: close)
        deletionLog = DeletionLog(database: context.database)
        delete = DeleteAccount(accounts: accounts, close: close, clock: context.clock)
        deleteUser = DeleteUser(accounts: accounts, close: close, clock: context.clock)
        listUsers = ListUsers(accounts: accounts, quota: quotaOfAccount, cursors: context.cursors)
        readUser = ReadUser(accounts: accounts, quota: quotaOfAccount)
        eraser = AccountEraser(
            database: context.database, accounts: accounts, features: others.reversed(), tables: tables,
            tokenTables: others.flatMap { type(of: $0).tokenTables }, blobs: context.blobs, ledger: context.ledger, jobs: context.jobs,
            clock: context.clock, scrubInterval: .hours(Int64(context.settings[Self.scrubHours])), logger: context.logger)
        export = ExportAccount(
            reader: PersonalReader(database: context.database, features: others, tables: tables), blobs: context.blobs,
            clock: context.clock, turns: context.archives)
    }

    package static var migrations: [Migration] { DeletionLog.migrations }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] {
        [PathSurface("/auth", .capsules), PathSurface("/admin", .capsules), PathSurface("/delete-user", .coves)]
    }

    /// The minimum time between two scrubs of the database engine's files. One scrub covers all accounts that were deleted since the
    /// previous one. If the setting is 0, each deletion starts a scrub at once.
    package static let scrubHours = FeatureSetting(
        "scrub_hours", default: 1, in: 0...720,
        help: "Hours between removals of deleted accounts' traces from SQLite's files, 0…720; 0: after each deletion. Default: 1")
    package static var settings: [any FeatureSettingReader] { [scrubHours] }

    package var jobs: [JobHandler] {
        [
            // The job may take minutes, and nobody waits for it. Only one of them runs at a time, so that jobs that somebody waits for get
            // the other job slots.
            JobHandler(EraseAccount.self, most: 1) { [eraser] in try await eraser.erase($0) },
            JobHandler(ScrubDatabase.self) { [eraser] _ in try await eraser.scrub() },
            JobHandler(LogCommand.self) { [log] in log.write($0.payload) },
            JobHandler(RevokeTokens.self) { [accounts] in try await accounts.revokeAppleTokens(of: $0.payload.account) },
        ]
    }

    /// Makes a running server log what a command did to an account. It runs in its own transaction, after the one that made the change.
    package func record(_ action: String, on account: String, by who: Operator, details: [String: String] = [:]) async throws {
        try await database.write { [log] tx in try log.record(action, on: account, by: who, details: details, tx) }
    }

    /// The page for `keepsake users show`, equal to that of `GET /admin/users/{id}`.
    package func page(of account: String) async throws -> AdminUserPage { try await readUser.page(of: account, current: nil) }

    package func addRoutes(to routes: Routes) {
        routes.serve(AccountDataEndpoints.delete, delete.handle)
        routes.serve(AccountDataEndpoints.deleteUser, deleteUser.handle)
        routes.serve(AdminEndpoints.users, listUsers.handle)
        for (endpoint, action) in [
            (AdminEndpoints.suspend, AccountOperations.Action.suspend), (AdminEndpoints.restore, .restore),
            (AdminEndpoints.verify, .verify), (AdminEndpoints.unverify, .unverify), (AdminEndpoints.promote, .promote),
            (AdminEndpoints.demote, .demote),
        ] {
            routes.serve(endpoint, AdministerUser(action: action, operations: operations, quota: quotaOfAccount).handle)
        }
        routes.serve(AdminEndpoints.user, readUser.handle)
        routes.serve(AdminEndpoints.setQuota, SetQuota(accounts: accounts, quota: quotaOfAccount).handle)
        routes.serve(AdminEndpoints.deleteUser, RemoveUser(remove: removal).handle)
        routes.serve(download: AccountDataEndpoints.export, export.handle)
    }
}
