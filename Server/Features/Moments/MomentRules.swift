import Blobs
import Core
import Foundation
import KeepsakeWire
import Media
import Web

/// Validation of moods, memories and events. Pure functions.
enum MomentRules {
    /// The most characters in a note or description.
    static let noteLength = 10_000

    /// The fields and files of an upload of this kind. The first rejected file fails the whole request.
    static func upload(_ kind: Moment.Kind) -> UploadRules {
        let common: Set<String> = ["tags", "createdAt", "category", "groupId", "voiceNoteDuration"]
        let own: Set<String> =
            switch kind {
            case .mood: ["mood", "note", "reason", "interests", "moodIntensity"]
            case .memory: ["title", "description", "location"]
            case .event: ["title", "description", "location", "date"]
            }
        var rules = UploadRules(
            kinds: [MediaLibrary.attachments, MediaLibrary.voiceNote], textFields: common.union(own), keepsTheOthers: false)
        rules.listFields = plainTypes.lists
        return rules
    }

    /// The types of the fields that are not strings in JSON.
    static let plainTypes = PlainFieldTypes(
        numbers: ["moodIntensity", "voiceNoteDuration"], times: ["createdAt"], lists: ["tags", "interests"])

    /// - Parameter texts: the form's fields.
    /// - Throws: `.invalid` naming the first field that is missing or malformed.
    static func moment(_ kind: Moment.Kind, _ texts: [String: String], id: String, owner: String, now: Timestamp) throws -> Moment {
        let createdAt = try texts["createdAt"].flatMap(nonEmpty).map { try MediaRules.unixTime($0, field: "createdAt") } ?? now
        var moment = Moment(
            id: id, owner: owner, kind: kind, createdAt: createdAt, happenedAt: createdAt,
            category: try MediaRules.category(texts["category"]), groupID: try MediaRules.groupID(texts["groupId"]),
            tags: try MediaRules.tags(texts["tags"]?.commaSeparated ?? []))
        switch kind {
        case .mood:
            moment.mood = try mood(texts["mood"])
            moment.note = try TextRules.optionalLine(texts["note"], field: "note", max: noteLength)
            moment.reason = try reason(texts["reason"])
            moment.interests = try MediaRules.tags(texts["interests"]?.commaSeparated ?? [], field: "interests")
            moment.intensity = try texts["moodIntensity"].flatMap(nonEmpty).map { text in
                // A client whose intensity is a fraction sends 8.0, which is a whole number in JSON too.
                guard let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }) else { throw badIntensity }
                return try intensity(number)
            }
        case .memory, .event:
            moment.title = try title(texts["title"])
            moment.note = try TextRules.optionalLine(texts["description"], field: "description", max: noteLength)
            moment.location = try location(texts["location"])
            if kind == .event { moment.happenedAt = try date(texts["date"]) }
        }
        // This is the duration that the client states. It is used only if the media worker measured none.
        moment.voiceMilliseconds = try texts["voiceNoteDuration"].flatMap(nonEmpty).map(duration)
        return moment
    }

    // MARK: Fields

    static func mood(_ text: String?) throws -> String { try required(text, field: "mood", max: 64) }

    static func title(_ text: String?) throws -> String { try required(text, field: "title", max: 200) }

    static func reason(_ text: String?) throws -> String? { try TextRules.optionalLine(text, field: "reason", max: 2_000) }

    static func location(_ text: String?) throws -> String? { try TextRules.optionalLine(text, field: "location", max: 200) }

    static func intensity(_ number: Int) throws -> Int {
        guard 1...10 ~= number else { throw badIntensity }
        return number
    }

    /// Parses a time in ISO 8601, in the years 1…9999.
    static func date(_ text: String?) throws -> Timestamp {
        let text = try required(text, field: "date", max: 64)
        guard let microseconds = WireDate.parseMicroseconds(text), MediaRules.years.contains(microseconds / 1_000_000) else {
            throw Problem(.invalid, "date must be ISO 8601, for example 2026-12-31T20:00:00Z.", field: "date")
        }
        // Rounded to milliseconds, the precision of responses, so that equal times in responses are equal in the database.
        return Timestamp(milliseconds: Timestamp(microseconds: microseconds).milliseconds)
    }

    /// Parses a number of seconds, 0…86400. No voice note of 25 MB is longer.
    private static func duration(_ text: String) throws -> Int64 {
        guard let seconds = Double(text), 0...86_400 ~= seconds else {
            throw Problem(.invalid, "voiceNoteDuration must be a number of seconds, 0…86400.", field: "voiceNoteDuration")
        }
        return Int64((seconds * 1_000).rounded())
    }

    private static func required(_ text: String?, field: String, max: Int) throws -> String {
        guard let text else { throw Problem(.invalid, "\(field) is missing.", field: field) }
        guard let line = try TextRules.optionalLine(text, field: field, max: max) else {
            throw Problem(.invalid, "\(field) must not be blank.", field: field)
        }
        return line
    }

    /// An empty form field counts as absent.
    private static func nonEmpty(_ text: String) -> String? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? nil : trimmed
    }

    private static let badIntensity = Problem(.invalid, "moodIntensity must be a whole number, 1…10.", field: "moodIntensity")
}
