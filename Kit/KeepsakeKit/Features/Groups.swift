public import KeepsakeWire

/// Profiles and friends. For what has no method here, see `Keepsake.send` with `PeopleEndpoints` and `FriendEndpoints`.
public struct People: Sendable {
    let client: Client

    public func profile(_ userId: String) async throws -> PersonProfile {
        try await client.send(PeopleEndpoints.profile) { _ in ReadProfileInput(userId: userId) }.profile
    }

    public func friends(limit: Int? = nil) -> Pages<Friend> {
        Pages { [client] cursor in
            let page = try await client.send(FriendEndpoints.friends) { _ in ListFriendsInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.friends, nextCursor: page.pagination.nextCursor)
        }
    }
}

/// Groups of people. For what has no method here, see `Keepsake.send` with `CoveEndpoints` and `CoveEventEndpoints`.
public struct Coves: Sendable {
    let client: Client

    public func get(_ coveId: String) async throws -> CoveDetails {
        try await client.send(CoveEndpoints.read) { _ in CoveQuery(coveId: coveId) }.cove
    }

    public func create(_ input: CreateCoveInput, key: String? = nil) async throws -> CreatedCove {
        try await client.send(CoveEndpoints.create, .init(key: key)) { _ in input }
    }

    public func list() async throws -> [CoveSummary] { try await client.send(CoveEndpoints.list) { _ in Empty() }.coves }

    public func members(_ coveId: String, limit: Int? = nil) -> Pages<CoveMemberData> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEndpoints.members) { _ in
                CoveMembersInput(coveId: coveId, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.members, nextCursor: page.pagination.nextCursor)
        }
    }

    public func events(_ coveId: String, limit: Int? = nil) -> Pages<CoveEventData> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEventEndpoints.list) { _ in
                CoveEventsInput(coveId: coveId, cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.events, nextCursor: page.pagination.nextCursor)
        }
    }
}

/// Moments that an app records as they happen. Sending them needs the socket, which this transport does not have.
public struct Captures: Sendable {
    let client: Client

    public func list(date: String? = nil, contact: String? = nil, limit: Int? = nil) -> Pages<Capture> {
        Pages { [client] cursor in
            let page = try await client.send(CaptureEndpoints.list) { _ in
                ListCapturesInput(cursor: cursor, limit: limit, date: date, contact: contact)
            }
            return Pages.Page(items: page.items, nextCursor: page.nextCursor)
        }
    }

    public func get(_ id: String) async throws -> Capture { try await client.send(CaptureEndpoints.read) { _ in ItemPath(id: id) } }
}
