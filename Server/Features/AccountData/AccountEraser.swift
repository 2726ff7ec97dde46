import Accounts
import Blobs
import Core
import Database
import FeatureKit
import Jobs
import Logging

/// Erases all data of a closed account.
struct EraseAccount: Job {
    static let kind = "accounts/erase"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .hours(2))

    let account: String
    /// Whether this is the second run, two hours after the first. The second run erases rows that were written by requests that were still
    /// running when the account closed.
    let isSecond: Bool
}

/// Removes the traces of erased accounts from the database engine's own files. One job serves all accounts that were erased in the same
/// interval.
struct ScrubDatabase: Job {
    static let kind = "accounts/scrub"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .hours(2))
}

/// Erases accounts. Each step queries what is left and deletes part of it, so a run can stop anywhere and a retry continues.
struct AccountEraser: Sendable {
    /// The most rows that one write of a feature deletes. It deletes fewer when they are long (see `DeletionStep`).
    private static let limit = 100
    /// The most rows that one write deletes from a declared table. It is smaller, because rows of `idempotency` have up to about 40 KB.
    private static let tableLimit = 20
    private static let pause = Duration.hours(2)

    let database: any Database
    let accounts: AccountsFeature
    /// The features in the order of erasure: a feature comes before the features that its rows refer to.
    let features: [any Feature]
    let tables: [PersonalTable]
    let tokenTables: [TokenTable]
    let blobs: any BlobStore
    let ledger: BlobLedger
    let jobs: JobQueue
    let clock: WallClock
    /// The interval between scrubs; if it is zero, each erasure scrubs at once.
    let scrubInterval: Duration
    let logger: Logger

    func erase(_ run: JobRun<EraseAccount>) async throws {
        let account = run.payload.account
        let rowCount = try await eraseRows(of: account)
        try await eraseBytes(of: account)
        // A scrub is needed unless the second run deleted nothing, which is the usual case.
        let needsScrub = !run.payload.isSecond || rowCount > 0
        if needsScrub, scrubInterval == .zero { try await scrub() }
        logger.notice(
            "an account was erased",
            metadata: ["rows": .stringConvertible(rowCount), "second": .stringConvertible(run.payload.isSecond)])
        try await run.complete { [self] tx in
            if needsScrub, scrubInterval > .zero { try enqueueScrub(tx) }
            guard !run.payload.isSecond else { return }
            let (again, now) = (EraseAccount(account: account, isSecond: true), clock.now)
            // The second run for an earlier account of this id may come too soon for this account.
            try jobs.enqueue(again, key: "\(account) again \(now.microseconds)", owner: nil, at: now + Self.pause, tx)
        }
    }

    func scrub() async throws { try await database.scrub(tokenTables) }

    /// Enqueues one scrub for all accounts that are erased in the current interval. It runs at the end of the interval, and its key
    /// contains that time. So it is another job than a scrub that is already running, which may have read the files before this account was
    /// erased.
    private func enqueueScrub(_ tx: WriteTransaction) throws {
        let interval = scrubInterval.wholeMicroseconds
        let end = Timestamp(microseconds: (clock.now.microseconds / interval + 1) * interval)
        try jobs.enqueue(ScrubDatabase(), key: "\(end.microseconds)", owner: nil, at: end, tx)
    }

    /// - Returns: the approximate number of deleted rows.
    private func eraseRows(of account: String) async throws -> Int {
        var count = 0
        for feature in features {
            while let erased = try await write(account, { try feature.erase(account, limit: Self.limit, $0) }), erased > 0 {
                count += erased
            }
        }
        while let erased = try await eraseUploads(of: account), erased > 0 { count += erased }
        // Delete most rows here, in many small writes. Otherwise the last write would have to delete all of them.
        for table in tables {
            guard case .statement = table.ending else { continue }
            let step = table.deletion(account, limit: Self.tableLimit)
            while let deleted = try await write(account, { try $0.run(step) }) {
                count += deleted
                if deleted < Self.tableLimit { break }
            }
        }
        let (features, tables, ledger, accounts, clock) = (features, tables, ledger, accounts, clock)
        // Once the account's row is deleted, nobody can insert more rows. The same transaction deletes the rows that were inserted before.
        let last = try await write(account) { tx in
            try accounts.removeClosed(account, tx)
            for feature in features { try feature.endErasing(account, tx) }
            var count = 0
            for table in tables {
                if case .statement = table.ending { count += try tx.run(table.deletion(account)) }
            }
            return try count + ledger.abandon(account, at: clock.now, tx)
        }
        return count + (last ?? 0)
    }

    private func eraseUploads(of account: String) async throws -> Int? {
        let uploads = try await write(account) { try UploadJournal.uploads(of: account, count: Self.limit, $0) } ?? []
        for key in uploads.flatMap(\.keys) { try await blobs.delete(key) }
        return try await write(account) { tx in
            try UploadJournal.forget(uploads.map(\.id), of: account, tx)
            return uploads.count
        }
    }

    /// Deletes the account's blobs at once, without the garbage collector's delay of ten minutes: nobody can be reading a deleted account's
    /// files. Once a new account has the id, only the garbage collector deletes them, because somebody may be reading the new account's
    /// files.
    private func eraseBytes(of account: String) async throws {
        while true {
            try Task.checkCancellation()
            let keys = try await database.read { [accounts, ledger] tx in
                try accounts.isOpen(account, tx) ? [] : ledger.dead(of: account, count: Self.limit, tx)
            }
            guard !keys.isEmpty else { return }
            for key in keys { try await blobs.delete(key) }
            try await database.write { [ledger] tx in try ledger.removeDead(keys, tx) }
        }
    }

    /// - Returns: `nil` when the account is open: its user has signed up again under the same id, and the data now belongs to that account.
    private func write<T: Sendable>(_ account: String, _ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T? {
        try Task.checkCancellation()
        return try await database.write { [accounts] tx in
            guard try !accounts.isOpen(account, tx) else { return nil }
            return try body(tx)
        }
    }
}
