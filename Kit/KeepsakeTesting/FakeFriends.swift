import Foundation
import KeepsakeWire

extension FakeRoutes {
    /// The most rows on a page of friends.
    static let clamp = 50

    mutating func addFriends() {
        serve(FriendEndpoints.send) { input, call, state in
            if let recipient = input.recipientId {
                return SendFriendRequestResponse(message: "Sent.", request: try state.request(recipient, "recipientId", call))
            }
            guard let ids = input.toUserIds else { throw FakeProblem.invalid("recipientId is missing.", "recipientId") }
            return SendFriendRequestResponse(message: "Sent.", requestIds: try ids.map { try state.request($0, "toUserIds", call).id })
        }
        serve(FriendEndpoints.sendSeveral) { input, call, state in
            guard 1...200 ~= input.toUserIds.count else { throw FakeProblem.invalid("Name 1 to 200 people.", "toUserIds") }
            return FriendRequestIdsResponse(
                message: "Sent.", requestIds: try input.toUserIds.map { try state.request($0, "toUserIds", call).id })
        }
        serve(FriendEndpoints.resolve) { input, call, state in
            guard ["ACCEPT", "REJECT"].contains(input.action) else {
                throw FakeProblem.invalid("action must be ACCEPT or REJECT.", "action")
            }
            let friendship = try state.resolve(input.requestId, accepts: input.action == "ACCEPT", call)
            return ResolveFriendRequestResponse(message: "Answered.", friendship: friendship)
        }
        serve(FriendEndpoints.answer) { input, call, state in
            _ = try state.resolve(input.requestId, accepts: input.accept, call)
            return MessageResponse(message: "Answered.")
        }
        serve(FriendEndpoints.cancel) { input, call, state in
            let index = state.requests.firstIndex { $0.id == input.requestId && $0.senderId == call.caller && $0.status == .pending }
            guard let index else { throw FakeProblem.notFound("The friend request") }
            state.requests.remove(at: index)
            state.forget(input.requestId)
            return MessageResponse(message: "Cancelled.")
        }
        serve(FriendEndpoints.remove) { input, call, state in
            let index = state.friendships.firstIndex {
                $0.id == input.friendshipId && ($0.user1Id == call.caller || $0.user2Id == call.caller)
            }
            guard let index else { throw FakeProblem.notFound("The friendship") }
            let ended = state.friendships.remove(at: index)
            state.requests.removeAll {
                Set([$0.senderId, $0.recipientId]) == Set([ended.user1Id, ended.user2Id])
            }
            return MessageResponse(message: "Removed.")
        }
        addLists()
        addBlocks()
    }

    private mutating func addLists() {
        serve(FriendEndpoints.friends) { input, call, state in
            let viewable = state
            let all = state.friendships.filter { $0.user1Id == call.caller || $0.user2Id == call.caller }.reversed().map { friendship in
                let id = friendship.user1Id == call.caller ? friendship.user2Id : friendship.user1Id
                return Friend(
                    id: id, name: viewable.name(of: id), profilePhotoUrl: viewable.picture(of: id), friendshipId: friendship.id,
                    createdAt: friendship.createdAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.friendshipId }
            return FriendList(friends: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(FriendEndpoints.requests) { input, call, state in
            let viewable = state
            let all = state.requests.filter { $0.recipientId == call.caller && $0.status == .pending }.reversed().map {
                FriendRequestList.Received(id: $0.id, sender: viewable.requestPerson($0.senderId), createdAt: $0.createdAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return FriendRequestList(requests: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(FriendEndpoints.sentRequests) { input, call, state in
            let viewable = state
            // A rejected request stays in the list, so that its sender does not learn of the rejection.
            let all = state.requests.filter { $0.senderId == call.caller && $0.status != .accepted }.reversed().map {
                SentFriendRequestList.Sent(id: $0.id, recipient: viewable.requestPerson($0.recipientId), createdAt: $0.createdAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return SentFriendRequestList(requests: page.rows, pagination: Pagination(nextCursor: page.next))
        }
        serve(CoveEndpoints.recommendedFriends) { input, call, state in
            let page = try state.recommended(for: call.caller).page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return RecommendedFriends(users: page.rows, pagination: Pagination(nextCursor: page.next))
        }
    }

    private mutating func addBlocks() {
        serve(FriendEndpoints.block) { input, call, state in
            guard input.userId != call.caller, state.accounts[input.userId] != nil else { throw FakeProblem.notFound("This person") }
            guard !state.blocks.contains(where: { $0.blocker == call.caller && $0.blocked == input.userId }) else {
                return MessageResponse(message: "Blocked.")
            }
            state.blocks.append(
                FakeBlock(id: state.newID(), blocker: call.caller, blocked: input.userId, createdAt: call.now))
            let pair = Set([call.caller, input.userId])
            state.friendships.removeAll { Set([$0.user1Id, $0.user2Id]) == pair }
            state.requests.removeAll { Set([$0.senderId, $0.recipientId]) == pair }
            return MessageResponse(message: "Blocked.")
        }
        serve(FriendEndpoints.unblock) { input, call, state in
            state.blocks.removeAll { $0.blocker == call.caller && $0.blocked == input.userId }
            return MessageResponse(message: "Unblocked.")
        }
        serve(FriendEndpoints.blocks) { input, call, state in
            let viewable = state
            let all = state.blocks.filter { $0.blocker == call.caller }.reversed().map {
                BlockList.Block(id: $0.blocked, name: viewable.name(of: $0.blocked), createdAt: $0.createdAt)
            }
            let page = try all.page(after: input.cursor, limit: input.limit, clamp: Self.clamp) { $0.id }
            return BlockList(blocks: page.rows, pagination: Pagination(nextCursor: page.next))
        }
    }
}

extension FakeState {
    func requestPerson(_ id: String) -> FriendRequestPerson {
        FriendRequestPerson(id: id, name: name(of: id), profilePhotoUrl: picture(of: id))
    }

    /// Sends a friend request. If the recipient has a pending request to the caller, the two become friends.
    mutating func request(_ recipient: String, _ field: String, _ call: FakeCall) throws -> FriendRequest {
        guard recipient != call.caller else { throw FakeProblem.invalid("You cannot befriend yourself.", field) }
        _ = try person(recipient, for: call.caller)
        guard friendship(call.caller, recipient) == nil else { throw FakeProblem(409, "You are friends already.", field: field) }
        let isPending = requests.contains { $0.senderId == call.caller && $0.recipientId == recipient && $0.status == .pending }
        guard !isPending else { throw FakeProblem(409, "You have asked this person already.", field: field) }
        var request = FriendRequest(
            id: create(), senderId: call.caller, recipientId: recipient, status: .pending, createdAt: call.now)
        if let index = requests.firstIndex(where: { $0.senderId == recipient && $0.recipientId == call.caller && $0.status == .pending }) {
            requests[index].status = .accepted
            request.status = .accepted
            befriend(recipient, call.caller, call.now)
        } else {
            emit("friend.requested", .object(["requestId": .string(request.id)]), to: recipient, call.now)
        }
        requests.append(request)
        return request
    }

    @discardableResult
    mutating func befriend(_ sender: String, _ recipient: String, _ now: Date) -> Friendship {
        let friendship = Friendship(id: newID(), user1Id: sender, user2Id: recipient, createdAt: now)
        friendships.append(friendship)
        emit("friend.accepted", .object(["friendshipId": .string(friendship.id)]), to: sender, now)
        return friendship
    }

    mutating func resolve(_ id: String, accepts: Bool, _ call: FakeCall) throws -> Friendship? {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { throw FakeProblem.notFound("The friend request") }
        let request = requests[index]
        guard request.recipientId == call.caller else { throw FakeProblem(403, "Only the recipient can answer a friend request.") }
        switch (request.status, accepts) {
        case (.pending, true):
            requests[index].status = .accepted
            return befriend(request.senderId, call.caller, call.now)
        case (.pending, false):
            requests[index].status = .rejected
            return nil
        case (.accepted, true): return friendship(request.senderId, call.caller)
        case (.rejected, false): return nil
        case (.accepted, false): throw FakeProblem(409, "You have accepted this friend request already.")
        default: throw FakeProblem(409, "You have rejected this friend request already.")
        }
    }

    /// People who share coves with the caller, except friends and people with whom a friend request is pending.
    func recommended(for caller: String) -> [RecommendedFriend] {
        var counts: [String: Int] = [:]
        for cove in coves(of: caller) { for member in cove.members where member.user != caller { counts[member.user, default: 0] += 1 } }
        let strangers = counts.filter { id, _ in
            friendship(caller, id) == nil && !areBlocked(caller, id)
                && !requests.contains { Set([$0.senderId, $0.recipientId]) == Set([caller, id]) && $0.status == .pending }
        }
        return strangers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { id, count in
            RecommendedFriend(id: id, name: name(of: id), profilePhotoUrl: picture(of: id), sharedCoveCount: count)
        }
    }
}
