import Accounts
import Blobs
import Core
import Database
import FeatureKit
import Jobs
import Logging

/// Erases all that a closed account had.
struct EraseAccount: Job {
    static let kind = "accounts/erase"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .hours(2))

    let account: String
    /// Two hours later once more: a request that was under way when the account was closed may have written something since.
    let isSecond: Bool
}

/// Removes what erased accounts left in the engine's own files: one job for all that were erased in the same interval.
struct ScrubDatabase: Job {
    static let kind = "accounts/scrub"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .hours(2))
}

/// Every step asks the rows what is left and takes some of it away, so it may be stopped anywhere and begun again.
struct AccountEraser: Sendable {
    private static let limit = 100
    private static let pause = Duration.hours(2)

    let database: any Database
    let accounts: AccountsFeature
    /// What refers to others first.
    let features: [any Feature]
    let tables: [PersonalTable]
    let tokenTables: [TokenTable]
    let blobs: any BlobStore
    let ledger: BlobLedger
    let jobs: JobQueue
    let clock: WallClock
    /// Zero: at once.
    let scrubInterval: Duration
    let logger: Logger

    func erase(_ run: JobRun<EraseAccount>) async throws {
        let account = run.payload.account
        let rowCount = try await eraseRows(of: account)
        try await eraseBytes(of: account)
        // The second time there is hardly ever anything, and then nothing to scrub.
        let needsScrub = !run.payload.isSecond || rowCount > 0
        if needsScrub, scrubInterval == .zero { try await scrub() }
        logger.notice("an account was erased", metadata: ["rows": "\(rowCount)", "second": "\(run.payload.isSecond)"])
        try await run.complete { [self] tx in
            if needsScrub, scrubInterval > .zero { try enqueueScrub(tx) }
            guard !run.payload.isSecond else { return }
            let again = EraseAccount(account: account, isSecond: true)
            try jobs.enqueue(again, key: "\(account) again", owner: nil, at: clock.now + Self.pause, tx)
        }
    }

    func scrub() async throws { try await database.scrub(tokenTables) }

    /// At the end of the current interval, once for all who leave within it. The key names that moment: a job that runs already belongs to
    /// an earlier one, and may have read before this account was erased.
    private func enqueueScrub(_ tx: WriteTransaction) throws {
        let interval = scrubInterval.wholeMicroseconds
        let end = Timestamp(microseconds: (clock.now.microseconds / interval + 1) * interval)
        try jobs.enqueue(ScrubDatabase(), key: "\(end.microseconds)", owner: nil, at: end, tx)
    }

    /// - Returns: about how many are gone.
    private func eraseRows(of account: String) async throws -> Int {
        var count = 0
        for feature in features {
            while let erased = try await write(account, { try feature.erase(account, limit: Self.limit, $0) }), erased > 0 {
                count += erased
            }
        }
        while let erased = try await eraseUploads(of: account), erased > 0 { count += erased }
        let (tables, ledger, accounts, clock) = (tables, ledger, accounts, clock)
        // The row of the account itself ends what could still be added; what was added until then goes with it.
        let last = try await write(account) { tx in
            try accounts.removeClosed(account, tx)
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

    /// Not in ten minutes with the garbage collector's round: nobody is left who could be reading.
    private func eraseBytes(of account: String) async throws {
        while true {
            try Task.checkCancellation()
            let keys = try await database.read { [ledger] tx in try ledger.dead(of: account, count: Self.limit, tx) }
            guard !keys.isEmpty else { return }
            for key in keys { try await blobs.delete(key) }
            try await database.write { [ledger] tx in try ledger.removeDead(keys, tx) }
        }
    }

    /// - Returns: `nil` when the account is somebody's: the same person came back under the same id, and what is there now is theirs.
    private func write<T: Sendable>(_ account: String, _ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T? {
        try Task.checkCancellation()
        return try await database.write { [accounts] tx in
            guard try !accounts.isOpen(account, tx) else { return nil }
            return try body(tx)
        }
    }
}
