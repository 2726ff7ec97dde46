import Core
import KeepsakeWire

/// Pure decisions about friends and friend requests.
enum FriendRules {
    /// The most friends of one person, including hidden ones.
    static let maxFriends = 5_000
    /// Pending requests that one person has sent, those to hidden people included.
    static let maxPending = 1_000
    /// The most recipients of one call.
    static let maxRecipients = 200
    /// The most accounts that one write notifies of their request. A job notifies the others.
    static let directNotificationCount = 50
    /// How long a resolved request is kept, so that a retry of the resolution gets the same response. A new request of the same sender to
    /// the same recipient, the end of the friendship, a block, or the end of either account deletes it earlier.
    static let resolvedLifetime = Duration.days(90)

    /// A recipient, and how the request's body named it.
    struct Recipient: Sendable, Equatable {
        let id: String
        /// For example `toUserIds[3]`.
        let field: String
    }

    // MARK: Input

    /// - Throws: `.invalid` naming the field, also for an empty list, too many recipients, a repeated one, and the sender.
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

    /// What there is between a sender and some recipients.
    struct Relations: Sendable, Equatable {
        /// Whom the sender may see.
        var visible: Set<String> = []
        var friends: Set<String> = []
        /// The sender's requests, by recipient, of any status.
        var sent: [String: StoredFriendRequest] = [:]
        /// Requests to the sender, by their sender, of any status.
        var received: [String: StoredFriendRequest] = [:]
        /// The number of all pending requests that the sender has sent.
        var pendingCount = 0
    }

    /// A request to make.
    struct Sending: Sendable, Equatable {
        let recipient: String
        /// An earlier, resolved request, which the new one replaces.
        var replaced: StoredFriendRequest?
        /// The recipient's own pending request, which the new one accepts.
        var crossed: StoredFriendRequest?
    }

    /// - Throws: `.notFound` for a recipient whom the sender may not see; `.conflict` for a friend, for the recipient of a pending request,
    ///   and when the sender would have too many pending requests.
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
        /// It was resolved in the same way before.
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
