import Foundation
import KeepsakeWire
import Testing

/// The tables of docs/api.md that list the members of files, entries, coves, profiles and capsules.
@Suite("The tables of members in the guide")
struct MemberTableTests {
    /// What a table says of a member that has no value.
    private enum Missing: String { case never, absent, null }

    /// A type that a table describes: one value that has all members, and one that has as few as possible.
    private struct Sample {
        let table: String
        /// The row's cell in the column `of`; `nil` for a table without that column.
        var kind: String?
        let full: any Encodable
        let least: any Encodable
        let surface: Surface
    }

    @Test("the tables name every member, and say which of them are absent or null without a value")
    func members() throws {
        let page = try String(contentsOfFile: Repository.folder + "/docs/api.md", encoding: .utf8)
        for sample in Self.samples {
            let name = "\(sample.table) \(sample.kind ?? "")"
            let full = try Self.members(of: sample.full, sample.surface)
            let least = try Self.members(of: sample.least, sample.surface)
            let isFull = !full.values.contains { $0 is NSNull }
            try #require(isFull, "\(name): the sample must have all values")
            let written = try Self.rows(of: sample.table, sample.kind, in: page)
            #expect(Set(written.keys) == Set(full.keys), "\(name)")
            for (member, missing) in written {
                let expected: Missing = least[member].map { $0 is NSNull ? Missing.null : .never } ?? .absent
                #expect(missing == expected, "\(name): \(member)")
            }
        }
    }

    private static func members(of value: any Encodable, _ surface: Surface) throws -> [String: Any] {
        let json = try surface.makeEncoder().encode(value)
        return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    /// The members that the table with this title names, each with what the table says of a missing value.
    private static func rows(of table: String, _ kind: String?, in page: String) throws -> [String: Missing] {
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.firstIndex { $0.hasPrefix("| \(table) |") }
        let head = try #require(first, "there is no table of \(table)")
        var rows: [String: Missing] = [:]
        for line in lines[(head + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if let kind, cells[1] != "all", !cells[1].contains(kind) { continue }
            let last = try #require(cells.last)
            let missing: Missing = last.hasPrefix("never") ? .never : last.hasPrefix("`null`") ? .null : .absent
            for name in cells[0].matches(of: /`(\w+)`/) { rows[String(name.output.1)] = missing }
        }
        return rows
    }

    // MARK: Samples

    private static let date = Date(timeIntervalSince1970: 1_900_000_000)
    private static let cover = CoverPhoto(id: "p", url: "u")

    private static var samples: [Sample] {
        [
            Sample(table: "member of a file", full: file, least: leastFile, surface: .multimedia),
            Sample(
                table: "member of an entry", kind: "mood",
                full: MoodData(
                    id: "m", mood: "calm", note: "n", voiceNote: "u", voiceNoteDuration: 1, reason: "r", tags: [], interests: [],
                    moodIntensity: 1, createdAt: 1, imageUrls: [], category: "c", groupId: "g", files: []),
                least: MoodData(
                    id: "m", mood: "calm", note: nil, voiceNote: nil, voiceNoteDuration: nil, reason: nil, tags: [], interests: [],
                    moodIntensity: nil, createdAt: 1, imageUrls: [], category: "c", groupId: nil), surface: .multimedia),
            Sample(
                table: "member of an entry", kind: "memory",
                full: MemoryData(
                    id: "m", title: "t", description: "d", location: "l", tags: [], createdAt: 1, imageUrls: [], voiceNote: "u",
                    voiceNoteDuration: 1, category: "c", groupId: "g", files: []),
                least: MemoryData(
                    id: "m", title: "t", description: nil, location: nil, tags: [], createdAt: 1, imageUrls: [], voiceNote: nil,
                    voiceNoteDuration: nil, category: "c", groupId: nil), surface: .multimedia),
            Sample(
                table: "member of an entry", kind: "event",
                full: EventData(
                    id: "e", title: "t", description: "d", date: "2030", location: "l", tags: [], createdAt: 1, imageUrls: [],
                    voiceNote: "u", voiceNoteDuration: 1, category: "c", groupId: "g", files: []),
                least: EventData(
                    id: "e", title: "t", description: nil, date: "2030", location: nil, tags: [], createdAt: 1, imageUrls: [],
                    voiceNote: nil, voiceNoteDuration: nil, category: "c", groupId: nil), surface: .multimedia),
            Sample(table: "member of a cove", full: cove("d", cover), least: cove(nil, nil), surface: .coves),
            Sample(
                table: "member of the list",
                full: CoveMemberData(id: "a", name: "n", profilePhotoUrl: "u", role: .member, joinedAt: date),
                least: CoveMemberData(id: "a", name: "", profilePhotoUrl: nil, role: .member, joinedAt: date), surface: .coves),
            Sample(table: "member of a cove's event", full: event("d", cover, .going), least: event(nil, nil, nil), surface: .coves),
            Sample(
                table: "member of an answer", kind: "rsvps",
                full: RSVPData(id: "r", status: .going, userId: "a", userName: "n", profilePhotoUrl: "u", createdAt: date),
                least: RSVPData(id: "r", status: .going, userId: "a", userName: "n", profilePhotoUrl: nil, createdAt: date),
                surface: .coves),
            Sample(
                table: "member of an answer", kind: "members",
                full: CoveGuestsResponse.Guest(
                    id: "r", userId: "a", userName: "n", profilePhotoUrl: "u", status: .going, joinedAt: date),
                least: CoveGuestsResponse.Guest(
                    id: "r", userId: "a", userName: "n", profilePhotoUrl: nil, status: .going, joinedAt: date), surface: .coves),
            Sample(
                table: "member of a profile", full: profile, least: PersonProfile(id: "a", name: "n", photos: []), surface: .coves),
            Sample(
                table: "member of a capsule",
                full: capsule(
                    "u", "t", CapsuleMetadata(waveform: [], language: "en", words: [], topics: [], summary: "s", engine: "openai")),
                least: capsule(nil, nil, nil), surface: .capsules),
        ]
    }

    private static var profile: PersonProfile {
        var profile = PersonProfile(id: "a", name: "n", photos: [])
        (profile.age, profile.birthday, profile.birthdate) = (1, date, date)
        (profile.latitude, profile.longitude) = (1, 1)
        (profile.bio, profile.almaMater, profile.job, profile.workLocation) = ("b", "a", "j", "w")
        (profile.relationStatus, profile.sexuality, profile.gender, profile.city, profile.gradYear) = ("r", "s", "g", "c", "y")
        profile.verified = true
        return profile
    }

    private static func capsule(_ link: String?, _ transcription: String?, _ metadata: CapsuleMetadata?) -> Capsule {
        Capsule(
            id: "c", userId: "a", audioURL: link, transcription: transcription, duration: 1, fileSize: 1, createdAt: date, updatedAt: date,
            status: .completed, metadata: metadata)
    }

    private static let file = MediaItem(
        file: FileData(
            url: "u", appUrl: "u", name: "n", size: 1, type: "video/mp4", fileId: "f", width: 1, height: 1, duration: 1), takenAt: 1,
        category: "c", title: "t", description: "d", tags: [], groupId: "g", createdAt: 1)

    private static let leastFile = MediaItem(
        file: FileData(url: "u", appUrl: "u", name: "n", size: 1, type: "audio/mp4", fileId: "f"), category: "c", title: nil,
        description: nil, tags: [], groupId: nil, createdAt: 1)

    private static func cove(_ description: String?, _ cover: CoverPhoto?) -> CoveDetails {
        CoveDetails(
            id: "c", name: "n", description: description, location: "l", createdAt: date, creator: .init(id: "a", name: "n"),
            coverPhoto: cover, stats: .init(memberCount: 1, eventCount: 0), joining: .id, role: .admin, isCreator: true)
    }

    private static func event(_ description: String?, _ cover: CoverPhoto?, _ status: RSVPStatus?) -> CoveEventData {
        CoveEventData(
            id: "e", name: "n", description: description, date: date, location: "l", coveId: "c", coveName: "n", coveCoverPhoto: cover,
            hostId: "a", hostName: "n", rsvpStatus: status, goingCount: 0, createdAt: date, coverPhoto: cover)
    }
}
