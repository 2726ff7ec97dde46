import Core
import KeepsakeWire
import Media

/// Validation of profiles. Pure functions.
enum ProfileRules {
    static let maxBioLength = 2_000

    /// - Throws: `.invalid` naming the first field that is missing or malformed.
    static func values(_ input: OnboardInput, now: Timestamp) throws -> ProfileValues {
        ProfileValues(
            name: try name(input.name), birthdate: try birthdate(input.birthdate, now: now),
            interests: try MediaRules.tags(input.hobbies ?? [], field: "hobbies"),
            latitude: try latitude(input.latitude), longitude: try longitude(input.longitude), bio: try bio(input.bio),
            almaMater: try line(input.almaMater, "almaMater"), job: try line(input.job, "job"),
            workLocation: try line(input.workLocation, "workLocation"),
            relationStatus: try line(input.relationStatus, "relationStatus"), sexuality: try line(input.sexuality, "sexuality"),
            gender: try line(input.gender, "gender"), city: try line(input.city, "city"),
            gradYear: try line(input.gradYear?.text, "gradYear"))
    }

    /// - Returns: the values after the change.
    /// - Throws: `.invalid` naming the first field that is malformed.
    static func apply(_ input: EditProfileInput, to old: ProfileValues, now: Timestamp) throws -> ProfileValues {
        var new = old
        switch input.name {
        case .unchanged: break
        case .clear: throw Problem(.invalid, "name must not be null.", field: "name")
        case .set(let text): new.name = try name(text)
        }
        try set(&new.birthdate, input.birthdate) { try birthdate($0, now: now) }
        switch input.interests {
        case .unchanged: break
        case .clear: new.interests = []
        case .set(let texts): new.interests = try MediaRules.tags(texts, field: "interests")
        }
        try set(&new.latitude, input.latitude, latitude)
        try set(&new.longitude, input.longitude, longitude)
        try set(&new.bio, input.bio, bio)
        try set(&new.almaMater, input.almaMater) { try line($0, "almaMater") }
        try set(&new.job, input.job) { try line($0, "job") }
        try set(&new.workLocation, input.workLocation) { try line($0, "workLocation") }
        try set(&new.relationStatus, input.relationStatus) { try line($0, "relationStatus") }
        try set(&new.sexuality, input.sexuality) { try line($0, "sexuality") }
        try set(&new.gender, input.gender) { try line($0, "gender") }
        try set(&new.city, input.city) { try line($0, "city") }
        try set(&new.gradYear, input.gradYear) { try line($0?.text, "gradYear") }
        return new
    }

    /// Whole years from a birth date to a later time, both as days in UTC. A person born on 29 February is a year older on 1 March.
    static func age(bornOn birthdate: Timestamp, at now: Timestamp) -> Int {
        let (born, today) = (day(birthdate), day(now))
        let hadBirthday = (today.month, today.day) >= (born.month, born.day)
        return max(0, today.year - born.year - (hadBirthday ? 0 : 1))
    }

    // MARK: Fields

    static func name(_ text: String) throws -> String {
        guard let name = try TextRules.optionalLine(text, field: "name", max: 100) else {
            throw Problem(.invalid, "name must have 1 to 100 characters.", field: "name")
        }
        return name
    }

    /// Reads a date and time in ISO 8601, or `yyyy-MM-dd`, which means that day at 00:00 UTC. An empty text means no date.
    static func birthdate(_ text: String?, now: Timestamp) throws -> Timestamp? {
        guard let text = try TextRules.optionalLine(text, field: "birthdate", max: 64) else { return nil }
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        guard let microseconds = WireDate.parseMicroseconds(whole), (earliest...now.microseconds).contains(microseconds) else {
            throw Problem(
                .invalid, "birthdate must be a date between 1900 and now, for example 2001-12-31 or 2001-12-31T00:00:00.000Z.",
                field: "birthdate")
        }
        // Rounded to milliseconds, the precision of responses, so that equal dates in responses are equal in the database.
        return Timestamp(milliseconds: Timestamp(microseconds: microseconds).milliseconds)
    }

    private static func latitude(_ degrees: Double?) throws -> Double? {
        guard let degrees else { return nil }
        guard -90...90 ~= degrees else { throw Problem(.invalid, "latitude must be -90…90.", field: "latitude") }
        return degrees
    }

    private static func longitude(_ degrees: Double?) throws -> Double? {
        guard let degrees else { return nil }
        guard -180...180 ~= degrees else { throw Problem(.invalid, "longitude must be -180…180.", field: "longitude") }
        return degrees
    }

    private static func bio(_ text: String?) throws -> String? { try TextRules.optionalLine(text, field: "bio", max: maxBioLength) }

    /// A short text in one line. An empty text counts as absent.
    private static func line(_ text: String?, _ field: String) throws -> String? {
        try TextRules.optionalLine(text, field: field, max: 200)
    }

    private static func set<Value, Stored>(
        _ stored: inout Stored?, _ change: Change<Value>, _ rule: (Value?) throws -> Stored?
    ) rethrows {
        switch change {
        case .unchanged: break
        case .clear: stored = nil
        case .set(let value): stored = try rule(value)
        }
    }

    /// 1900-01-01T00:00:00Z, in microseconds.
    private static let earliest: Int64 = -2_208_988_800_000_000

    private static func day(_ time: Timestamp) -> (year: Int, month: Int, day: Int) {
        let text = WireDate.format(microseconds: time.microseconds, .wholeSeconds)
        // Read the date only, which ends at the `T`. A year after 9999 has six digits, so its length varies.
        let parts = text.prefix { $0 != "T" }.split(separator: "-").compactMap { Int($0) }
        return (parts[0], parts[1], parts[2])
    }
}

extension Problem {
    /// The same error for an account that does not exist, is closed or suspended, has blocked the caller, or is blocked by the caller.
    static let noSuchPerson = Problem(.notFound, "There is no such user.", field: "userId")
    static let noProfile = Problem(.notFound, "You have no profile yet. Send /onboard first.")
    static let alreadyOnboarded = Problem(.forbidden, "You have onboarded already. Change your profile with /edit-profile.")
}
