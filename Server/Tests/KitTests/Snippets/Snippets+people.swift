import Foundation
import KeepsakeKit
import KeepsakeWire

// Samples about people, coves and changes; see Snippets.swift.

extension Snippets {
    static func contacts(_ keepsake: Keepsake, _ phoneNumbers: [String]) async throws {
        // snippet: contacts
        for person in try await keepsake.people.contacts(phoneNumbers) {
            let sent = try await keepsake.people.sendRequest(to: person.id)
            print(person.name, sent.status)
        }
        // end
    }

    static func friends(_ keepsake: Keepsake) async throws {
        // snippet: friends
        for try await request in keepsake.people.requests() {
            print("\(request.sender.name) asked on \(request.createdAt)")
            try await keepsake.people.accept(request.id)
        }
        for try await friend in keepsake.people.friends() { print(friend.name, friend.friendshipId) }
        // end
    }

    static func block(_ keepsake: Keepsake, _ personID: String) async throws {
        // snippet: block
        try await keepsake.people.block(personID)
        try await keepsake.people.report(.user, personID, reason: "Sends advertisements")
        for try await blocked in keepsake.people.blocks() { print(blocked.name) }
        // end
    }

    static func coveLists(_ keepsake: Keepsake) async throws {
        // snippet: cove-lists
        for summary in try await keepsake.coves.list() {
            let details = try await keepsake.coves.get(summary.id)
            print(details.name, details.stats.memberCount, details.role)
            for try await person in keepsake.coves.members(summary.id) { print(person.name, person.joinedAt) }
        }
        for try await planned in keepsake.coves.calendar(isUpcoming: true) { print(planned.date, planned.name, planned.goingCount) }
        // end
    }

    static func coveChange(_ keepsake: Keepsake, _ event: CoveEventData) async throws -> String {
        // snippet: cove-change
        let moved = try await keepsake.coves.editEvent(EditCoveEventInput(eventId: event.id, location: .set("The beach")))
        for try await guest in keepsake.coves.guests(moved.id, status: .going) { print(guest.userName) }
        // end
        return moved.location
    }

    static func liveMoods(_ keepsake: Keepsake, show: ([String: MoodData]) -> Void) async throws {
        // snippet: live-moods
        var moods: [String: MoodData] = [:]
        for try await message in keepsake.events.follow(since: 0) {
            switch message {
            case .event(let event) where event.type.hasPrefix("mood."):
                guard case .object(let data) = event.data, case .string(let id)? = data["id"] else { continue }
                do {
                    moods[id] = try await keepsake.moments.mood(id)
                } catch let error as KeepsakeError where error.status == 404 {
                    moods[id] = nil
                }
            case .event: continue
            case .reset:
                moods = [:]
                for try await mood in keepsake.moments.moods() { moods[mood.id] = mood }
            }
            show(moods)
        }
        // end
    }
}
