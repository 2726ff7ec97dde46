import Core
import KeepsakeWire

/// Pure decisions about friends and friend requests.
enum FriendRules {
    /// The most friends of one person, including hidden ones.
    static let maxFriends = 5_000
    /// The most pending requests that one person can have sent, including those to hidden people.
    static let maxPending = 1_000
    /// The most recipients of one call.
    static let maxRecipients = 200
    /// The most accounts that one write notifies of their request. A job notifies the others.
    static let directNotificationCount = 50
    /// How long a resolved request is kept, so that a retry of the resolution gets the same response. It is deleted earlier by a new
    /// request of the same sender to the same recipient, by the end of the friendship, by a block, and by the end of either account.
    static let resolvedLifetime = Duration.days(90)

    /// A recipient, and how the request's body named it.
    struct Recipient: Sendable, Equatable {
        let id: String
        /// The name of the field, for example `toUserIds[3]`.
        let field: String
    }

    // MARK: Input

    /// - Throws: `.invalid` naming the field, also if the list is empty, is too long, repeats a person, or contains the sender.
    static func recipients(_ ids: [String], from sender: String) throws -> [Recipient] {
        guard (1...maxRecipients).contains(ids.count) else {
            throw Problem(.invalid, "toUserIds must name 1 to \(maxRecipients) people; got \(ids.count).", field: "toUserIds")
        }
        var seen: Set<String> = []
        return try ids.enumerated().map { index, id in
            let recipient = try recipient(id, field: "toUserIds[\(index)]", from: sender)
            guard seen.insert(recipient.id).inserted else {
                throw Problem(.invalid, "\(recipient.field) names somebody a second time.", field: recipient.field)
            }
            return recipient
        }
    }

    /// - Throws: `.invalid` naming `field` for an empty id and for the sender's own.
    static func recipient(_ id: String, field: String, from sender: String) throws -> Recipient {
        let id = try self.id(id, field: field)
        guard id != sender else { throw Problem(.invalid, "\(field) is your own id. Name somebody else.", field: field) }
        return Recipient(id: id, field: field)
    }

    /// - Throws: `.invalid` naming `field`.
    static func id(_ text: String, field: String) throws -> String {
        guard let id = try TextRules.optionalLine(text, field: field, max: 128) else {
            throw Problem(.invalid, "\(field) must not be empty.", field: field)
        }
        return id
    }

    /// - Returns: whether the action accepts.
    static func isAccepting(_ action: String) throws -> Bool {
        switch action {
        case "ACCEPT": true
        case "REJECT": false
        default: throw Problem(.invalid, "action must be ACCEPT or REJECT.", field: "action")
        }
    }

    // MARK: Sending

    /// The friendships and requests between a sender and some recipients.
    struct Relations: Sendable, Equatable {
        /// The recipients whom the sender may see.
        var visible: Set<String> = []
        var friends: Set<String> = []
        /// The sender's requests of any status, by recipient.
        var sent: [String: StoredFriendRequest] = [:]
        /// The requests to the sender, of any status, by the person who sent them.
        var received: [String: StoredFriendRequest] = [:]
        /// The number of all pending requests that the sender has sent.
        var pendingCount = 0
    }

    /// A request to store.
    struct Sending: Sendable, Equatable {
        let recipient: String
        /// An earlier request, already resolved, which the new one replaces.
        var replaced: StoredFriendRequest?
        /// The recipient's own pending request to the sender, which the new one accepts.
        var crossed: StoredFriendRequest?
    }

    /// - Throws: `.notFound` for a recipient whom the sender may not see; `.conflict` for a recipient who is a friend or has a pending
    ///   request of the sender, and when the sender would have too many pending requests.
    static func sendings(to recipients: [Recipient], _ relations: Relations) throws -> [Sending] {
        let sendings = try recipients.map { recipient in
            let (id, field) = (recipient.id, recipient.field)
            guard relations.visible.contains(id) else { throw Problem(.notFound, "\(field): there is no such user.", field: field) }
            guard !relations.friends.contains(id) else { throw Problem(.conflict, "\(field): you are friends already.", field: field) }
            let sent = relations.sent[id]
            guard sent?.status != .pending else {
                throw Problem(.conflict, "\(field): your earlier friend request is still pending.", field: field)
            }
            let received = relations.received[id]
            return Sending(recipient: id, replaced: sent, crossed: received?.status == .pending ? received : nil)
        }
        guard relations.pendingCount + sendings.count(where: { $0.crossed == nil }) <= maxPending else {
            throw Problem(.conflict, "You can have at most \(maxPending) pending friend requests. Cancel some first.")
        }
        return sendings
    }

    // MARK: Resolving

    enum Resolution: Sendable, Equatable {
        case accept, reject
        /// The request was resolved in the same way before.
        case again
    }

    /// - Throws: `.conflict` when the request was resolved in the opposite way.
    static func resolution(of request: StoredFriendRequest, accepting: Bool) throws -> Resolution {
        switch (request.status, accepting) {
        case (.pending, true): .accept
        case (.pending, false): .reject
        case (.accepted, true), (.rejected, false): .again
        case (.accepted, false): throw Problem(.conflict, "You have accepted this friend request already.")
        default: throw Problem(.conflict, "You have rejected this friend request already.")
        }
    }

    /// - Parameter counts: how many friends each of the two has.
    /// - Throws: `.conflict` when one of them has the maximum number.
    static func requireRoom(own: Int, other: Int) throws {
        guard own < maxFriends else { throw Problem(.conflict, "You can have at most \(maxFriends) friends. Remove one first.") }
        guard other < maxFriends else { throw Problem(.conflict, "This person has as many friends as an account can have.") }
    }
}

extension Problem {
    static let noSuchFriendRequest = Problem(.notFound, "There is no such friend request.", field: "requestId")
    static let notTheRecipient = Problem(.forbidden, "Only the recipient can answer a friend request.", field: "requestId")
    static let notTheSender = Problem(.forbidden, "Only the sender can cancel a friend request.", field: "requestId")
    static let requestResolved = Problem(.conflict, "The friend request has been answered already.", field: "requestId")
    static let noSuchFriendship = Problem(.notFound, "There is no such friendship.", field: "friendshipId")
}
