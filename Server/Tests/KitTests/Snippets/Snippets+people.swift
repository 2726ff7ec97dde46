import Foundation
import KeepsakeKit
import KeepsakeWire

// Samples about people, coves and changes; see Snippets.swift.

extension Snippets {
    static func contacts(_ keepsake: Keepsake, _ phoneNumbers: [String]) async throws {
        // snippet: contacts
        for person in try await keepsake.people.contacts(phoneNumbers) {
            let request = try await keepsake.people.sendRequest(to: person.id)
            print(person.name, request.status)
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

    static func block(_ keepsake: Keepsake, _ person: String) async throws {
        // snippet: block
        try await keepsake.people.block(person)
        try await keepsake.people.report(.user, person, reason: "Sends advertisements")
        for try await blocked in keepsake.people.blocks() { print(blocked.name) }
        // end
    }

    static func coveLists(_ keepsake: Keepsake) async throws {
        // snippet: cove-lists
        for cove in try await keepsake.coves.list() {
            let details = try await keepsake.coves.get(cove.id)
            print(details.name, details.stats.memberCount, details.role)
            for try await member in keepsake.coves.members(cove.id) { print(member.name, member.joinedAt) }
        }
        for try await event in keepsake.coves.calendar(isUpcoming: true) { print(event.date, event.name, event.goingCount) }
        // end
    }

    static func coveChange(_ keepsake: Keepsake, _ event: String) async throws -> String {
        // snippet: cove-change
        let moved = try await keepsake.coves.editEvent(EditCoveEventInput(eventId: event, location: .set("The beach")))
        for try await guest in keepsake.coves.guests(moved.id, status: .going) { print(guest.userName) }
        // end
        return moved.location
    }

    static func liveMoods(_ keepsake: Keepsake, since seen: Int64?, show: ([String: MoodData]) -> Void) async throws {
        // snippet: live-moods
        var moods: [String: MoodData] = [:]
        for try await message in keepsake.events.follow(since: seen) {
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
