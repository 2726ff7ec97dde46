import Accounts
import Core
import Database
import Media

/// All SQL of the table `profile`, except the counters of friends.
struct ProfileStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let library: MediaLibrary
    let coves: any CoveLookup
    let photos: PhotoStore
    let clock: WallClock

    /// What the response of `/login` says about the caller.
    struct Standing: Sendable, Equatable {
        let hasOnboarded: Bool
        let isVerified: Bool
        /// The id of the cove that the account joined first.
        let cove: String?
    }

    func standing(of account: String) async throws -> Standing {
        try await database.read { tx in
            Standing(
                hasOnboarded: try tx.row(Self.values(of: account)) != nil, isVerified: try accounts.isVerified(account, tx),
                cove: try coves.firstCove(of: account, tx))
        }
    }

    /// Makes the account's profile, once. A repeated call with the same values changes nothing.
    /// - Throws: `Problem.alreadyOnboarded` when the profile has other values; `.tooLarge` when it exceeds the account's quota.
    func onboard(_ values: ProfileValues, _ account: String) async throws {
        try await database.write { tx in
            try tx.lock(Self.lock(account))
            if let old = try tx.row(Self.values(of: account)) {
                guard try ProfileValues(old) == values else { throw Problem.alreadyOnboarded }
                return
            }
            try tx.run(Self.onboarding(values, account, at: clock.now))
            try library.count(rowBytes: values.rowBytes, owner: account, tx)
        }
    }

    /// - Parameter change: computes the new values from the old ones.
    /// - Returns: `false` when the account has not onboarded.
    /// - Throws: the errors of `change`; `.tooLarge` when the profile's growth exceeds the account's quota.
    func edit(_ account: String, _ change: @escaping @Sendable (ProfileValues) throws -> ProfileValues) async throws -> Bool {
        try await database.write { tx in
            try tx.lock(Self.lock(account))
            guard let row = try tx.row(Self.values(of: account)) else { return false }
            let old = try ProfileValues(row)
            let new = try change(old)
            try tx.run(Self.update(new, of: account))
            try library.change(rowFrom: row.get("row_bytes"), old.rowBytes, to: new.rowBytes, owner: account, tx)
            return true
        }
    }

    // MARK: Accounts that others no longer see

    func hide(_ account: String, _ tx: WriteTransaction) throws { try tx.run(Self.hiding(account, at: clock.now)) }

    func show(_ account: String, _ tx: WriteTransaction) throws { try tx.run(Self.showing(account)) }

    // MARK: Statements

    private static func lock(_ account: String) -> String { "profile of " + account }

    /// Finds no row before the account has onboarded.
    static func values(of account: String) -> SQL {
        """
        SELECT \(sql: ProfileValues.columns), profile.row_bytes FROM profile
        WHERE profile.account = \(account) AND profile.onboarded_at IS NOT NULL
        """
    }

    /// Inserts or changes the row: the account may have one already, which counts its friends or hides it.
    static func onboarding(_ values: ProfileValues, _ account: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO profile (account, created_at, onboarded_at, name, birthdate, interests, latitude, longitude, bio, alma_mater, job,
            work_location, relation_status, sexuality, gender, city, grad_year, row_bytes)
        VALUES (\(account), \(now), \(now), \(values.name), \(values.birthdate), \(TextList.encode(values.interests)), \(values.latitude),
            \(values.longitude), \(values.bio), \(values.almaMater), \(values.job), \(values.workLocation), \(values.relationStatus),
            \(values.sexuality), \(values.gender), \(values.city), \(values.gradYear), \(values.rowBytes))
        ON CONFLICT (account) DO UPDATE SET onboarded_at = excluded.onboarded_at, name = excluded.name, birthdate = excluded.birthdate,
            interests = excluded.interests, latitude = excluded.latitude, longitude = excluded.longitude, bio = excluded.bio,
            alma_mater = excluded.alma_mater, job = excluded.job, work_location = excluded.work_location,
            relation_status = excluded.relation_status, sexuality = excluded.sexuality, gender = excluded.gender, city = excluded.city,
            grad_year = excluded.grad_year, row_bytes = excluded.row_bytes
        """
    }

    static func update(_ values: ProfileValues, of account: String) -> SQL {
        """
        UPDATE profile SET name = \(values.name), birthdate = \(values.birthdate), interests = \(TextList.encode(values.interests)),
            latitude = \(values.latitude), longitude = \(values.longitude), bio = \(values.bio), alma_mater = \(values.almaMater),
            job = \(values.job), work_location = \(values.workLocation), relation_status = \(values.relationStatus),
            sexuality = \(values.sexuality), gender = \(values.gender), city = \(values.city), grad_year = \(values.gradYear),
            row_bytes = \(values.rowBytes)
        WHERE account = \(account)
        """
    }

    static func hiding(_ account: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO profile (account, hidden, created_at) VALUES (\(account), 1, \(now))
        ON CONFLICT (account) DO UPDATE SET hidden = 1
        """
    }

    static func showing(_ account: String) -> SQL { "UPDATE profile SET hidden = 0 WHERE account = \(account)" }
}
