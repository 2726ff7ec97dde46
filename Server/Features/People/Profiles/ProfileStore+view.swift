import Accounts
import Core
import Database

/// A person as one viewer sees them. Hidden values are `nil`, empty or 0.
struct ProfileView: Sendable, Equatable {
    let id: String
    let name: String
    let phone: String?
    let birthdate: Timestamp?
    let interests: [String]
    /// Degrees.
    let latitude: Double?
    /// Degrees.
    let longitude: Double?
    let bio: String?
    let almaMater: String?
    let job: String?
    let workLocation: String?
    let relationStatus: String?
    let sexuality: String?
    let gender: String?
    let city: String?
    let gradYear: String?
    let isOnboarding: Bool
    let isVerified: Bool?
    let friendCount: Int
    let requestCount: Int
    let coveCount: Int
    let photos: [StoredPhoto]
}

extension ProfileStore {
    /// - Parameter visibility: the rules for what the viewer sees; only tests pass others than the default.
    /// - Returns: `nil` when the viewer may not see the person, or there is none.
    func view(
        _ person: String, by viewer: String,
        _ visibility: @escaping @Sendable (_ person: String, _ viewer: String, _ hasCommonCove: Bool) -> ProfileVisibility =
            ProfileVisibility.init(of:to:hasCommonCove:)
    ) async throws -> ProfileView? {
        try await database.read { tx in
            let hasCommonCove = try person != viewer && coves.haveCommonCove(viewer, person, tx)
            guard let row = try tx.row(Self.view(person, by: viewer, visibility(person, viewer, hasCommonCove))) else { return nil }
            let seesAll = try row.get("sees_counts", as: Bool.self)
            return ProfileView(
                id: person, name: try row.get("name"), phone: try row.get("phone"), birthdate: try row.get("birthdate"),
                interests: try (row.get("interests") as String?).map { try TextList.decode($0) } ?? [],
                latitude: try row.get("latitude", as: Double?.self), longitude: try row.get("longitude", as: Double?.self),
                bio: try row.get("bio"), almaMater: try row.get("alma_mater"), job: try row.get("job"),
                workLocation: try row.get("work_location"), relationStatus: try row.get("relation_status"),
                sexuality: try row.get("sexuality"), gender: try row.get("gender"), city: try row.get("city"),
                gradYear: try row.get("grad_year"), isOnboarding: try row.get("onboarding", as: Bool.self),
                isVerified: seesAll ? try accounts.isVerified(person, tx) : nil, friendCount: try row.get("friend_count"),
                requestCount: try row.get("request_count"), coveCount: seesAll ? try coves.coveCount(of: person, tx) : 0,
                photos: try photos.photos(of: person, tx))
        }
    }

    /// Selects one row, or none when the viewer may not see the person. The statement decides for every column whether the viewer sees it.
    /// A person without a profile has a row without values.
    static func view(_ person: String, by viewer: String, _ sees: ProfileVisibility) -> SQL {
        """
        SELECT COALESCE(profile.name, '') AS name,
            CASE WHEN \(sql: sees.toSelf) THEN profile.latitude END AS latitude,
            CASE WHEN \(sql: sees.toSelf) THEN profile.longitude END AS longitude,
            CASE WHEN \(sql: sees.toCoveMembers) THEN profile.bio END AS bio,
            CASE WHEN \(sql: sees.toCoveMembers) THEN profile.interests END AS interests,
            CASE WHEN \(sql: sees.toCoveMembers) THEN profile.alma_mater END AS alma_mater,
            CASE WHEN \(sql: sees.toCoveMembers) THEN profile.job END AS job,
            CASE WHEN \(sql: sees.toFriends) THEN account.phone END AS phone,
            CASE WHEN \(sql: sees.toFriends) THEN profile.birthdate END AS birthdate,
            CASE WHEN \(sql: sees.toFriends) THEN profile.work_location END AS work_location,
            CASE WHEN \(sql: sees.toFriends) THEN profile.relation_status END AS relation_status,
            CASE WHEN \(sql: sees.toFriends) THEN profile.sexuality END AS sexuality,
            CASE WHEN \(sql: sees.toFriends) THEN profile.gender END AS gender,
            CASE WHEN \(sql: sees.toFriends) THEN profile.city END AS city,
            CASE WHEN \(sql: sees.toFriends) THEN profile.grad_year END AS grad_year,
            CASE WHEN \(sql: sees.toFriends) AND profile.onboarded_at IS NULL THEN 1 ELSE 0 END AS onboarding,
            CASE WHEN \(sql: sees.toFriends) THEN COALESCE(profile.friend_count, 0) ELSE 0 END AS friend_count,
            CASE WHEN \(sql: sees.toFriends) THEN COALESCE(profile.request_count, 0) ELSE 0 END AS request_count,
            CASE WHEN \(sql: sees.toFriends) THEN 1 ELSE 0 END AS sees_counts
        FROM account LEFT JOIN profile ON profile.account = account.id
        LEFT JOIN friendship ON friendship.account = \(viewer) AND friendship.friend = account.id
        WHERE account.id = \(person)\(sql: sees.isShown)
        """
    }
}
