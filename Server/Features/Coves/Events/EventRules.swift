import Blobs
import Core
import Foundation
import KeepsakeWire
import Media

/// Validation of events. Pure functions and limits.
enum EventRules {
    /// The most events of a cove that have not ended.
    static let maxInCove = 10_000
    /// The most events that an account hosts, including ended ones that are still kept. The limit bounds what one write changes when the
    /// account is closed.
    static let maxHosted = 5_000
    /// The most RSVPs of an account. The limit bounds what one write changes when the account leaves a cove, or is closed or suspended: two
    /// rows for each RSVP. Accounts may still have up to 10,000 from earlier versions, and can change and remove them.
    static let maxRSVPs = 2_000
    /// The most RSVPs that an event itself shows.
    static let shownRSVPs = 10
    /// How long an event that has ended is kept, so that calendars can show it as cancelled.
    static let kept = Duration.days(30)

    static let coverMembers: Set<String> = ["coverPhoto"]
    /// The cover picture: at most 10 MB.
    static var upload: UploadRules { MediaLibrary.picture(in: coverMembers) }

    static let onlyCreators = "Only ADMINs of this cove and its creator may create events."
    static let onlyEditors = "Only the host of this event and ADMINs of its cove may edit it."
    /// For an event whose host is no longer a member.
    static let onlyRemovers = "Only ADMINs of this cove may delete this event: its host has left."

    static let tooManyInCove = Problem(.conflict, "This cove has \(maxInCove) events. Delete one first.")
    static let tooManyHosted = Problem(.conflict, "You host \(maxHosted) events. Delete one first.")
    static let tooManyRSVPs = Problem(.conflict, "You have answered \(maxRSVPs) events. Remove an answer first.")

    /// - Throws: `.invalid` naming the field.
    static func event(_ input: CreateCoveEventInput, id: String, host: String, now: Timestamp) throws -> CoveEvent {
        CoveEvent(
            id: id, cove: try CoveRules.id(input.coveId, field: "coveId"), host: host, name: try name(input.name),
            description: try CoveRules.description(input.description), date: try date(input.date),
            location: try CoveRules.location(input.location), cover: nil, coverOwner: nil, revision: 0, createdAt: now, changedAt: now)
    }

    static func name(_ text: String) throws -> String { try CoveRules.required(text, field: "name", max: 200) }

    /// A date in the years 1…9999, rounded to the nearest millisecond, the precision of responses.
    static func date(_ date: Date) throws -> Timestamp {
        let seconds = date.timeIntervalSince1970
        let milliseconds = (seconds * 1_000).rounded()
        guard milliseconds >= -62_135_596_800_000, milliseconds < 253_402_300_800_000 else {
            throw Problem(.invalid, "date must be in the years 1 to 9999.", field: "date")
        }
        return Timestamp(milliseconds: Int64(milliseconds))
    }
}

/// A validated change of an event.
struct EventChange: Sendable {
    let name: String?
    let description: Change<String>
    let date: Timestamp?
    let location: String?
    /// Whether the request names the cover. If it brings no new file, the old cover is removed.
    let changesCover: Bool

    /// - Throws: `.invalid` naming the field.
    init(_ input: EditCoveEventInput) throws {
        name = try input.name.required("name").map(EventRules.name)
        date = try input.date.required("date").map(EventRules.date)
        location = try input.location.required("location").map(CoveRules.location)
        description = try CoveRules.description(input.description)
        changesCover = input.coverPhoto != .unchanged
    }

    /// Applies everything but the cover.
    func apply(to event: inout CoveEvent) {
        event.name = name ?? event.name
        event.date = date ?? event.date
        event.location = location ?? event.location
        event.description = description.applied(to: event.description)
    }
}

extension Problem {
    static let noSuchEvent = Problem(.notFound, "There is no such event.", field: "eventId")
}
