public import Foundation
public import KeepsakeWire

/// Profiles, contacts, friends and blocks.
public struct People: Sendable {
    let client: Client

    // MARK: Profiles

    /// Reports whether the person still has to complete onboarding, and whether the person may create coves.
    public func login() async throws -> CoveUser {
        // The call is safe to repeat: it changes nothing.
        try await client.send(PeopleEndpoints.login, .init(repeats: true)) { _ in Empty() }.user
    }

    /// Completes onboarding, which happens once for each account. Sending the same values again changes nothing.
    public func onboard(_ input: OnboardInput) async throws {
        _ = try await client.send(PeopleEndpoints.onboard, .init(repeats: true)) { _ in input }
    }

    /// Edits the caller's profile. Fields that stay `.unchanged` keep their value.
    public func editProfile(_ input: EditProfileInput) async throws {
        _ = try await client.send(PeopleEndpoints.editProfile) { _ in input }
    }

    /// The profile of a person, as far as the caller may see it.
    /// - Parameter userId: `nil` for the caller.
    public func profile(_ userId: String? = nil) async throws -> PersonProfile {
        try await client.send(PeopleEndpoints.profile) { _ in ReadProfileInput(userId: userId) }.profile
    }

    /// Adds a photo to the caller's profile.
    /// - Parameters:
    ///   - picture: JPEG, PNG, WebP or HEIC, at most 10 MB. The library reads it from the disk while it sends it.
    ///   - isProfilePic: whether it replaces the profile picture.
    ///   - key: as in `Keepsake.send`.
    public func addPhoto(
        _ picture: URL, isProfilePic: Bool = false, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> ProfilePhoto {
        try await client.send(
            PeopleEndpoints.addPhoto,
            .init(key: key, progress: ProgressReport(progress), embedded: EmbeddedFile("base64Image", picture))
        ) { _ in AddPhotoInput(isProfilePic: isProfilePic) }.photo
    }

    /// Replaces the picture of a profile photo. The photo keeps its id and its position.
    public func replacePhoto(
        _ photoId: String, with picture: URL, key: String? = nil, progress: ProgressHandler? = nil
    ) async throws -> ProfilePhoto {
        try await client.send(
            PeopleEndpoints.replacePhoto,
            .init(key: key, progress: ProgressReport(progress), embedded: EmbeddedFile("base64Image", picture))
        ) { _ in ReplacePhotoInput(photoId: photoId) }.photo
    }

    public func deletePhoto(_ photoId: String) async throws {
        _ = try await client.send(PeopleEndpoints.deletePhoto) { _ in DeletePhotoInput(photoId: photoId) }
    }

    /// The people who are registered on the server with one of these numbers.
    /// - Parameter phoneNumbers: at most 1,000, as people write them.
    public func contacts(_ phoneNumbers: [String]) async throws -> [PhoneContact] {
        try await client.send(PeopleEndpoints.contacts) { _ in ContactsInput(phoneNumbers: phoneNumbers) }.contacts
    }

    // MARK: Friends

    /// The caller's friends, newest first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func friends(limit: Int? = nil) -> Pages<Friend> {
        Pages { [client] cursor in
            let page = try await client.send(FriendEndpoints.friends) { _ in ListFriendsInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.friends, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Pending requests that the caller received, newest first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func requests(limit: Int? = nil) -> Pages<FriendRequestList.Received> {
        Pages { [client] cursor in
            let page = try await client.send(FriendEndpoints.requests) { _ in ListFriendsInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.requests, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Pending requests that the caller sent, newest first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func sentRequests(limit: Int? = nil) -> Pages<SentFriendRequestList.Sent> {
        Pages { [client] cursor in
            let page = try await client.send(FriendEndpoints.sentRequests) { _ in ListFriendsInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.requests, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Sends a friend request. If the other person has already sent a request to the caller, the two become friends at once, and the status
    /// is `.accepted`.
    /// - Parameter key: as in `Keepsake.send`.
    public func sendRequest(to userId: String, key: String? = nil) async throws -> FriendRequest {
        let answer = try await client.send(FriendEndpoints.send, .init(key: key)) { _ in SendFriendRequestInput(recipientId: userId) }
        guard let request = answer.request else {
            throw KeepsakeError(.invalidResponse, "The response to /send-friend-request has no request.")
        }
        return request
    }

    /// Sends a request to each person. If one of the requests fails, nobody gets one.
    /// - Parameter userIds: 1…200 people, each once.
    /// - Returns: the requests' ids, in the same order.
    public func sendRequests(to userIds: [String], key: String? = nil) async throws -> [String] {
        try await client.send(FriendEndpoints.sendSeveral, .init(key: key)) { _ in SendFriendRequestsInput(toUserIds: userIds) }.requestIds
    }

    /// Accepts a friend request.
    /// - Returns: the friendship, also if the request was accepted before.
    /// - Throws: 409 if the request was rejected before.
    @discardableResult
    public func accept(_ requestId: String) async throws -> Friendship {
        let answer = try await client.send(FriendEndpoints.resolve, .init(repeats: true)) { _ in
            ResolveFriendRequestInput(requestId: requestId, action: "ACCEPT")
        }
        guard let friendship = answer.friendship else {
            throw KeepsakeError(.invalidResponse, "The response to /resolve-friend-request has no friendship.")
        }
        return friendship
    }

    /// Rejects a friend request.
    /// - Throws: 409 if the request was accepted before.
    public func reject(_ requestId: String) async throws {
        _ = try await client.send(FriendEndpoints.resolve, .init(repeats: true)) { _ in
            ResolveFriendRequestInput(requestId: requestId, action: "REJECT")
        }
    }

    /// Cancels a pending request that the caller sent.
    public func cancelRequest(_ requestId: String) async throws {
        _ = try await client.send(FriendEndpoints.cancel) { _ in CancelFriendRequestInput(requestId: requestId) }
    }

    public func removeFriend(_ friendshipId: String) async throws {
        _ = try await client.send(FriendEndpoints.remove) { _ in RemoveFriendInput(friendshipId: friendshipId) }
    }

    /// People who share a cove with the caller, except friends and people with whom a friend request is pending. People with the most
    /// shared coves come first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func recommended(limit: Int? = nil) -> Pages<RecommendedFriend> {
        Pages { [client] cursor in
            let page = try await client.send(CoveEndpoints.recommendedFriends) { _ in
                RecommendedFriendsInput(cursor: cursor, limit: limit)
            }
            return Pages.Page(items: page.users, nextCursor: page.pagination.nextCursor)
        }
    }

    // MARK: Blocks and reports

    /// Hides the caller and the person from each other, and ends their friendship and their friend requests. The caller can also block a
    /// person who has blocked the caller, but then the server responds 404, as for a person who does not exist.
    public func block(_ userId: String) async throws {
        _ = try await client.send(FriendEndpoints.block, .init(repeats: true)) { _ in BlockInput(userId: userId) }
    }

    public func unblock(_ userId: String) async throws {
        _ = try await client.send(FriendEndpoints.unblock, .init(repeats: true)) { _ in BlockInput(userId: userId) }
    }

    /// The people whom the caller has blocked, the latest block first.
    /// - Parameter limit: the most items on a page, 1…50; a larger number means 50; 10 by default.
    public func blocks(limit: Int? = nil) -> Pages<BlockList.Block> {
        Pages { [client] cursor in
            let page = try await client.send(FriendEndpoints.blocks) { _ in ListFriendsInput(limit: limit, cursor: cursor) }
            return Pages.Page(items: page.blocks, nextCursor: page.pagination.nextCursor)
        }
    }

    /// Reports a person, or something that a person made, to the operator.
    /// - Parameter reason: 1…1,000 characters.
    public func report(_ kind: ReportKind, _ id: String, reason: String, key: String? = nil) async throws {
        _ = try await client.send(ReportEndpoints.report, .init(key: key)) { _ in ReportInput(kind: kind, id: id, reason: reason) }
    }
}
