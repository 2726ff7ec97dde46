import Core
import Database
import Media

/// What a person wrote about themselves.
struct ProfileValues: Sendable, Equatable {
    /// 1...100 characters.
    var name: String
    var birthdate: Timestamp?
    var interests: [String] = []
    /// Degrees.
    var latitude: Double?
    /// Degrees.
    var longitude: Double?
    var bio: String?
    var almaMater: String?
    var job: String?
    var workLocation: String?
    var relationStatus: String?
    var sexuality: String?
    var gender: String?
    var city: String?
    var gradYear: String?

    /// How many bytes the row counts against the quota.
    var rowBytes: Int64 {
        RowBytes.count(
            searchable: [], tags: [],
            plain: [name, bio, almaMater, job, workLocation, relationStatus, sexuality, gender, city, gradYear] + interests)
    }
}

extension ProfileValues {
    /// The columns that `init(_ row:)` reads.
    static let columns: SQL = """
        profile.name, profile.birthdate, profile.interests, profile.latitude, profile.longitude, profile.bio, profile.alma_mater,
        profile.job, profile.work_location, profile.relation_status, profile.sexuality, profile.gender, profile.city, profile.grad_year
        """

    /// - Throws: `DatabaseError.column` when a column holds a value of another type.
    init(_ row: Row) throws {
        self.init(
            name: try row.get("name"), birthdate: try row.get("birthdate"), interests: try TextList.decode(row.get("interests")),
            latitude: try row.get("latitude", as: Double?.self), longitude: try row.get("longitude", as: Double?.self),
            bio: try row.get("bio"), almaMater: try row.get("alma_mater"), job: try row.get("job"),
            workLocation: try row.get("work_location"), relationStatus: try row.get("relation_status"),
            sexuality: try row.get("sexuality"), gender: try row.get("gender"), city: try row.get("city"),
            gradYear: try row.get("grad_year"))
    }
}
