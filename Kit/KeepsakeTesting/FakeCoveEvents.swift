import Foundation
import KeepsakeWire

struct FakeCoveEvent {
    struct Answer {
        var id: String
        var user: String
        var status: RSVPStatus
        var createdAt: Date
    }

    var id: String
    var cove: String
    var host: String
    var name: String
    var description: String?
    var date: Date
    var location: String
    var cover: CoverPhoto?
    var createdAt: Date
    var answers: [Answer] = []

    var fields: CreatedCoveEvent.Fields {
        CreatedCoveEvent.Fields(
            id: id, name: name, description: description, date: date, location: location, coveId: cove, createdAt: createdAt)
    }
}

extension FakeRoutes {
    mutating func addCoveEvents() {
        serve(CoveEventEndpoints.create) { input, call, state in
            let cove = try state.cove(input.coveId, admin: call.caller)
            let cover = try state.cover(call)
            let event = FakeCoveEvent(
                id: state.create(), cove: cove.id, host: call.caller, name: try FakeText.required(input.name, "name", max: 200),
                description: input.description, date: input.date, location: try FakeText.required(input.location, "location", max: 200),
                cover: cover, createdAt: call.now)
            state.coveEvents.append(event)
            state.emitEvent("cove.event.added", event, call.now)
            return CreatedCoveEvent(message: "Created.", event: event.fields)
        }
        serve(CoveEventEndpoints.edit) { input, call, state in
            var (event, _, member) = try state.coveEvent(input.eventId, for: call.caller)
            guard event.host == call.caller || member.role == .admin else {
                throw FakeProblem(403, "Only the host of this event and ADMINs of its cove may edit it.")
            }
            let old = event
            try FakeText.applyRequired(input.name, "name", max: 200, &event.name)
            FakeText.apply(input.description, &event.description)
            try FakeText.applyRequired(input.location, "location", max: 200, &event.location)
            if case .set(let date) = input.date { event.date = date }
            if case .clear = input.coverPhoto { event.cover = nil }
            if let cover = try state.cover(call) { event.cover = cover }
            state.put(event)
            if event.fields != old.fields || event.cover != old.cover { state.emitEvent("cove.event.changed", event, call.now) }
            return CreatedCoveEvent(message: "Changed.", event: event.fields)
        }
        serve(CoveEventEndpoints.delete) { input, call, state in
            let (event, cove, member) = try state.coveEvent(input.eventId, for: call.caller)
            let hostLeft = !cove.members.contains { $0.user == event.host }
            guard event.host == call.caller || (hostLeft && member.role == .admin) else {
                throw FakeProblem(
                    403,
                    hostLeft
                        ? "Only ADMINs of this cove may delete this event: its host has left." : "Only the host may delete this event.")
            }
            state.coveEvents.removeAll { $0.id == event.id }
            state.forget(event.id)
            state.emitEvent("cove.event.ended", event, call.now)
            return MessageResponse(message: "Deleted.")
        }
        serve(CoveEventEndpoints.read) { input, call, state in
            let (event, cove, _) = try state.coveEvent(input.eventId, for: call.caller)
            return CoveEventResponse(event: state.details(event, cove, for: call.caller))
        }
        addAnswers()
        addEventLists()
    }

    private mutating func addAnswers() {
        serve(CoveEventEndpoints.updateRSVP) { input, call, state in
            var (event, _, _) = try state.coveEvent(input.eventId, for: call.caller)
            let index: Int
            if let known = event.answers.firstIndex(where: { $0.user == call.caller }) {
                index = known
            } else {
                index = event.answers.count
                event.answers.append(.init(id: state.newID(), user: call.caller, status: input.status, createdAt: call.now))
            }
            event.answers[index].status = input.status
            state.put(event)
            state.emitEvent("cove.rsvp", event, call.now)
            let answer = event.answers[index]
            return RSVPResponse(
                message: "Answered.",
                rsvp: .init(
                    id: answer.id, status: answer.status, eventId: event.id, userId: call.caller, createdAt: answer.createdAt))
        }
        serve(CoveEventEndpoints.removeRSVP) { input, call, state in
            var (event, _, _) = try state.coveEvent(input.eventId, for: call.caller)
            event.answers.removeAll { $0.user == call.caller }
            state.put(event)
            state.emitEvent("cove.rsvp", event, call.now)
            return MessageResponse(message: "Removed.")
        }
        serve(CoveEventEndpoints.guests) { input, call, state in
            let (event, _, _) = try state.coveEvent(input.eventId, for: call.caller)
            let viewable = state
            let all = event.answers.reversed().filter {
                (input.status == nil || $0.status == input.status) && !viewable.areBlocked($0.user, call.caller)
            }.map {
                CoveGuestsResponse.Guest(
                    id: $0.id, userId: $0.user, userName: viewable.name(of: $0.user), profilePhotoUrl: viewable.picture(of: $0.user),
                    status: $0.status, joinedAt: $0.createdAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return CoveGuestsResponse(members: page.rows, nextCursor: page.next)
        }
    }

    private mutating func addEventLists() {
        serve(CoveEventEndpoints.list) { input, call, state in
            _ = try state.cove(input.coveId, member: call.caller)
            return try state.list(state.coveEvents.filter { $0.cove == input.coveId }, input.cursor, input.limit, call)
        }
        serve(CoveCalendarEndpoints.events) { input, call, state in
            let coves = Set(state.coves(of: call.caller).map(\.id))
            return try state.list(state.coveEvents.filter { coves.contains($0.cove) }, input.cursor, input.limit, call)
        }
        serve(CoveCalendarEndpoints.upcoming) { input, call, state in
            let coves = Set(state.coves(of: call.caller).map(\.id))
            let all = state.coveEvents.filter { coves.contains($0.cove) && $0.date >= call.now }
            return try state.list(all, input.cursor, input.limit, call)
        }
        serve(CoveCalendarEndpoints.createLink) { _, _, state in
            CalendarLink(message: "Created.", url: "https://keepsake.invalid/calendar.ics?token=\(state.newID())")
        }
        serve(CoveCalendarEndpoints.deleteLink) { _, _, _ in MessageResponse(message: "Deleted.") }
    }
}

extension FakeState {
    func coveEvent(_ id: String, for user: String) throws -> (FakeCoveEvent, FakeCove, FakeCove.Member) {
        guard let event = coveEvents.first(where: { $0.id == id }) else { throw FakeProblem.notFound("The event") }
        let (cove, member) = try cove(event.cove, member: user)
        return (event, cove, member)
    }

    mutating func put(_ event: FakeCoveEvent) {
        if let index = coveEvents.firstIndex(where: { $0.id == event.id }) { coveEvents[index] = event }
    }

    mutating func emitEvent(_ type: String, _ event: FakeCoveEvent, _ now: Date) {
        guard let cove = coves.first(where: { $0.id == event.cove }) else { return }
        emitCove(type, cove, ["eventId": event.id], to: cove.members.map(\.user), now)
    }

    func details(_ event: FakeCoveEvent, _ cove: FakeCove, for user: String) -> CoveEventDetails {
        CoveEventDetails(
            id: event.id, name: event.name, description: event.description, date: event.date, location: event.location,
            coveId: cove.id, host: .init(id: event.host, name: name(of: event.host)), cove: cove.summary,
            rsvpStatus: event.answers.first { $0.user == user }?.status,
            goingCount: event.answers.filter { $0.status == .going }.count,
            rsvps: event.answers.filter { !areBlocked($0.user, user) }.sorted { $0.status == .going && $1.status != .going }.prefix(10).map
            {
                RSVPData(
                    id: $0.id, status: $0.status, userId: $0.user, userName: name(of: $0.user), profilePhotoUrl: picture(of: $0.user),
                    createdAt: $0.createdAt)
            }, coverPhoto: event.cover, isHost: event.host == user, createdAt: event.createdAt)
    }

    /// A page of events by date, soonest first.
    func list(_ events: [FakeCoveEvent], _ cursor: String?, _ limit: Int?, _ call: FakeCall) throws -> CoveEventsResponse {
        let sorted = events.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
        let page = try sorted.page(after: cursor, limit: limit, clamp: FakeRoutes.clamp) { $0.id }
        let rows = page.rows.map { event in
            let cove = coves.first { $0.id == event.cove }
            return CoveEventData(
                id: event.id, name: event.name, description: event.description, date: event.date, location: event.location,
                coveId: event.cove, coveName: cove?.name ?? "", coveCoverPhoto: cove?.cover, hostId: event.host,
                hostName: name(of: event.host), rsvpStatus: event.answers.first { $0.user == call.caller }?.status,
                goingCount: event.answers.filter { $0.status == .going }.count, createdAt: event.createdAt, coverPhoto: event.cover)
        }
        return CoveEventsResponse(events: rows, pagination: Pagination(nextCursor: page.next))
    }
}
