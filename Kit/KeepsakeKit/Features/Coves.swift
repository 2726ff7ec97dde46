public import Foundation
public import KeepsakeWire

/// Groups of people (coves): members, invitations, events and the calendar.
public struct Coves: Sendable {
    let client: Client

    // MARK: Coves

    /// Creates a cove. Only verified people may create coves.
    /// - Parameters:
    ///   - cover: JPEG, PNG, WebP or HEIC, at most 10 MB. The library reads it from the disk while it sends it.
    ///   - key: as in `Keepsake.send`.
    public func create(
        _ input: CreateCoveInput, cover: URL? = nil, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> CreatedCove.Fields {
        try await client.send(
            CoveEndpoints.create, .init(key: key, progress: ProgressReport(progress), embedded: EmbeddedFile("coverPhoto", cover))
        ) { _ in input }.cove
    }

    /// Edits a cove; only ADMINs may. Fields that stay `.unchanged` keep their value.
    public func edit(_ input: EditCoveInput, cover: URL? = nil, progress: ProgressHandler? = nil) async throws -> CreatedCove.Fields {
        try await client.send(
            CoveEndpoints.edit, .init(progress: ProgressReport(progress), embedded: EmbeddedFile("coverPhoto", cover))
        ) { _ in
            var input = input
            // The library writes the cover into the body itself, and a member of a JSON object must not occur twice.
            if cover != nil { input.coverPhoto = .unchanged }
            return input
        }.cove
    }

    /// Reads a cove; only members may.
    public func get(_ coveId: String) async throws -> CoveDetails {
        try await client.send(CoveEndpoints.read) { _ in CoveQuery(coveId: coveId) }.cove
    }

    /// The caller's coves, in the order in which the caller joined them.
    public func list() async throws -> [CoveSummary] { try await client.send(CoveEndpoints.list) { _ in Empty() }.coves }

    /// Deletes a cove; only its creator may.
    public func delete(_ coveId: String) async throws {
        _ = try await client.send(CoveEndpoints.delete) { _ in CoveInput(coveId: coveId) }
    }

    // MARK: Members

    public func join(_ coveId: String, key: String? = nil) async throws -> MembershipData {
        try await client.send(CoveEndpoints.join, .init(key: key)) { _ in CoveInput(coveId: coveId) }.member
    }

    public func leave(_ coveId: String) async throws {
        _ = try await client.send(CoveEndpoints.leave) { _ in CoveInput(coveId: coveId) }
    }

    /// The cove's members, newest first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func members(_ coveId: String, limit: Int? = nil) -> Pages<CoveMemberData> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEndpoints.members) { _ in
                CoveMembersInput(coveId: coveId, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.members, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Removes a member; only ADMINs may. The person can return only by invitation.
    public func removeMember(_ userId: String, from coveId: String) async throws {
        _ = try await client.send(CoveEndpoints.removeMember) { _ in CoveMemberInput(coveId: coveId, userId: userId) }
    }

    /// Changes a member's role; only the creator may.
    public func setRole(_ role: CoveRole, of userId: String, in coveId: String) async throws -> MembershipData {
        // The call is safe to repeat: setting the same role again changes nothing.
        try await client.send(CoveEndpoints.setRole, .init(repeats: true)) { _ in
            CoveRoleInput(coveId: coveId, userId: userId, role: role)
        }.member
    }

    // MARK: Invitations

    /// Invites people by their phone numbers; only ADMINs may.
    /// - Parameters:
    ///   - phoneNumbers: 1…200 numbers, as people write them.
    ///   - message: at most 500 characters.
    /// - Returns: the invitations, and the numbers that got no invitation.
    public func invite(
        _ phoneNumbers: [String], to coveId: String, message: String? = nil, key: String? = nil
    ) async throws -> SentInvites {
        try await client.send(CoveInvitationEndpoints.send, .init(key: key)) { _ in
            SendInviteInput(coveId: coveId, phoneNumbers: phoneNumbers, message: message)
        }
    }

    /// The invitations to the caller's phone number, newest first.
    public func invites() async throws -> [Invite] { try await client.send(CoveInvitationEndpoints.list) { _ in Empty() }.invites }

    /// Marks an invitation as opened.
    public func openInvite(_ inviteId: String) async throws -> Invite {
        try await client.send(CoveInvitationEndpoints.open) { _ in InviteInput(inviteId: inviteId) }.invite
    }

    public func rejectInvite(_ inviteId: String) async throws {
        _ = try await client.send(CoveInvitationEndpoints.reject) { _ in InviteInput(inviteId: inviteId) }
    }

    /// The invitations that the caller sent and that nobody has used, newest first.
    /// - Parameters:
    ///   - coveId: only invitations to this cove; `nil` for all coves.
    ///   - limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func sentInvites(to coveId: String? = nil, limit: Int? = nil) -> Pages<SentInvitesPage.Sent> {
        Pages { [client] cursor in
            let page = try await client.send(CoveInvitationEndpoints.sent) { _ in
                SentInvitesInput(coveId: coveId, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.invites, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Cancels an invitation that the caller sent.
    public func cancelInvite(_ inviteId: String) async throws {
        _ = try await client.send(CoveInvitationEndpoints.cancel) { _ in InviteInput(inviteId: inviteId) }
    }

    // MARK: Events

    /// Creates an event; only the cove's creator and its ADMINs may. The parameters are those of `create`.
    public func createEvent(
        _ input: CreateCoveEventInput, cover: URL? = nil, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> CreatedCoveEvent.Fields {
        try await client.send(
            CoveEventEndpoints.create, .init(key: key, progress: ProgressReport(progress), embedded: EmbeddedFile("coverPhoto", cover))
        ) { _ in input }.event
    }

    /// Edits an event; only its host and ADMINs may. Fields that stay `.unchanged` keep their value.
    public func editEvent(
        _ input: EditCoveEventInput, cover: URL? = nil, progress: ProgressHandler? = nil
    ) async throws -> CreatedCoveEvent.Fields {
        try await client.send(
            CoveEventEndpoints.edit, .init(progress: ProgressReport(progress), embedded: EmbeddedFile("coverPhoto", cover))
        ) { _ in
            var input = input
            if cover != nil { input.coverPhoto = .unchanged }
            return input
        }.event
    }

    public func event(_ eventId: String) async throws -> CoveEventDetails {
        try await client.send(CoveEventEndpoints.read) { _ in CoveEventQuery(eventId: eventId) }.event
    }

    /// Deletes an event; only its host may, or an ADMIN if the host is no longer a member.
    public func deleteEvent(_ eventId: String) async throws {
        _ = try await client.send(CoveEventEndpoints.delete) { _ in CoveEventInput(eventId: eventId) }
    }

    /// The cove's events, past ones included, by date, soonest first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func events(_ coveId: String, limit: Int? = nil) -> Pages<CoveEventData> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEventEndpoints.list) { _ in
                CoveEventsInput(coveId: coveId, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.events, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Says whether the caller comes to the event. Giving the same answer again changes nothing.
    public func answer(_ status: RSVPStatus, to eventId: String) async throws -> RSVPResponse.Fields {
        try await client.send(CoveEventEndpoints.updateRSVP, .init(repeats: true)) { _ in
            UpdateRSVPInput(eventId: eventId, status: status)
        }.rsvp
    }

    /// Removes the caller's answer.
    public func removeAnswer(to eventId: String) async throws {
        _ = try await client.send(CoveEventEndpoints.removeRSVP, .init(repeats: true)) { _ in CoveEventInput(eventId: eventId) }
    }

    /// The people who have answered, newest first.
    /// - Parameters:
    ///   - status: only people who gave this answer; `nil` for all.
    ///   - limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func guests(_ eventId: String, status: RSVPStatus? = nil, limit: Int? = nil) -> Pages<CoveGuestsResponse.Guest> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEventEndpoints.guests) { _ in
                CoveGuestsInput(eventId: eventId, status: status, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.members, nextCursor: page.nextCursor)
        }
    }

    // MARK: Calendar

    /// The events of all the caller's coves, by date, soonest first.
    /// - Parameters:
    ///   - isUpcoming: whether to list only events from now on.
    ///   - limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func calendar(isUpcoming: Bool = false, limit: Int? = nil) -> Pages<CoveEventData> {
        Pages { [client] cursor in
            let endpoint = isUpcoming ? CoveCalendarEndpoints.upcoming : CoveCalendarEndpoints.events
            let page = try await client.send(endpoint) { _ in CalendarInput(cursor: cursor, limit: limit) }
            return Pages.Page(items: page.events, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Creates the link of the caller's feed for calendar programs. The previous link stops working. Anyone who has the link can read the
    /// feed.
    public func createCalendarLink() async throws -> String {
        try await client.send(CoveCalendarEndpoints.createLink) { _ in Empty() }.url
    }

    public func deleteCalendarLink() async throws {
        _ = try await client.send(CoveCalendarEndpoints.deleteLink) { _ in Empty() }
    }
}
