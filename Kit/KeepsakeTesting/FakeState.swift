import Foundation
import HTTPTypes
import KeepsakeWire

/// Everything that the fake server stores.
struct FakeState {
    struct Account {
        var user: User
        var password: String?
        var phone: String?
        var isVerified = true
        /// The account's identities at other providers.
        var identities: [Identity] = []
        var profile = PersonProfile(id: "", name: "", photos: [])
        var isOnboarded = false
    }

    struct Session {
        var user: String
        var method: String
        var createdAt: Date
        var refreshToken: String
    }

    struct AccessToken {
        var session: String
        var expiresAt: Date
    }

    struct StoredFile {
        var item: MediaItem
        var data: Data
        /// Whether the file is on the timeline itself, and not only as a part of another entry.
        var isAlone: Bool
    }

    struct Archive {
        var id: String
        var files: [String]
        var expiresAt: Date
    }

    struct Log {
        var seq: Int64 = 0
        /// The events up to `seq`, without gaps in their numbers.
        var events: [LiveEvent] = []
    }

    struct CreationID: Hashable {
        var caller: String
        var route: String
        var key: String
    }

    struct Creation {
        var fields: [String: JSONValue]
        var form: FakeForm
        /// The body of the response; `nil` when what the request created was deleted.
        var body: Data?
        var resources: [String]
    }

    private var lastNumber = 0
    var accounts: [String: Account] = [:]
    var sessions: [String: Session] = [:]
    var accessTokens: [String: AccessToken] = [:]
    /// The session of each refresh token that was issued, including used ones.
    var refreshTokens: [String: String] = [:]
    var logs: [String: Log] = [:]
    var creations: [CreationID: Creation] = [:]
    /// The ids of what the current creation has created.
    var created: [String] = []

    /// Files by owner, in the order of creation.
    var files: [String: [StoredFile]] = [:]
    /// The last 20 archives of each owner, in the order of creation.
    var archives: [String: [Archive]] = [:]
    /// The file ids of profile pictures, by owner.
    var profilePictures: [String: String] = [:]
    var moods: [String: [MoodData]] = [:]
    var memories: [String: [MemoryData]] = [:]
    var events: [String: [EventData]] = [:]
    var capsules: [String: [Capsule]] = [:]
    var captures: [String: [Capture]] = [:]
    /// Files by `owner/capture/photo` and `owner/capture/audio`.
    var captureFiles: [String: (data: Data, type: String)] = [:]
    /// The transcriptions that clients sent, by `owner/capture`. Later messages are compared with them.
    var sentTexts: [String: String] = [:]
    /// The deleted captures, as `owner/capture`. Their ids cannot be used again.
    var deletedCaptures: Set<String> = []
    var contacts: [String: [KnownContact]] = [:]
    /// The ids of the captures that mention each contact, by the contact's id.
    var mentions: [String: Set<String>] = [:]
    /// The photos of profiles, by their ids.
    var photos: [String: Data] = [:]
    var requests: [FriendRequest] = []
    var friendships: [Friendship] = []
    var blocks: [FakeBlock] = []
    var coves: [FakeCove] = []
    var invites: [FakeInvite] = []
    var coveEvents: [FakeCoveEvent] = []
    var transcript: String?
    /// Conversations by owner, in the order of creation.
    var chats: [String: [FakeConversation]] = [:]
    /// The ids of the user's messages in conversations that the user deleted.
    var deletedMessages: [String: Set<String>] = [:]
    var chatFiles: [String: [FakeChatFile]] = [:]
    /// The text of all answers in chats.
    var chatAnswer = "No model is configured on this server."

    /// Makes an id in the format of the server's ids. Later ids are greater.
    mutating func newID() -> String {
        lastNumber += 1
        let text = String(lastNumber, radix: 16)
        return "00000000-0000-7000-8000-" + String(repeating: "0", count: max(0, 12 - text.count)) + text
    }

    /// Makes an id for something that a request with an `Idempotency-Key` creates.
    mutating func create() -> String {
        let id = newID()
        created.append(id)
        return id
    }

    /// Records that something was deleted that a request with a key created. If the request is repeated, it gets 410.
    mutating func forget(_ id: String) {
        for (key, creation) in creations where creation.resources.contains(id) { creations[key]?.body = nil }
    }

    /// Runs `body`. If it throws, the state stays unchanged.
    mutating func attempt<Result>(_ body: (inout FakeState) throws -> Result) throws -> Result {
        var copy = self
        let result = try body(&copy)
        self = copy
        return result
    }

    // MARK: Events

    /// The most events that the server keeps for an account.
    private static let eventLimit = 10_000

    mutating func emit(_ type: String, _ data: JSONValue, to user: String, _ now: Date) {
        var log = logs[user] ?? Log()
        log.seq += 1
        log.events.append(LiveEvent(seq: log.seq, type: type, at: now, data: data))
        if log.events.count > Self.eventLimit { log.events.removeFirst() }
        logs[user] = log
    }

    mutating func emit(_ type: String, id: String, to user: String, _ now: Date) {
        emit(type, .object(["id": .string(id)]), to: user, now)
    }

    /// - Parameter since: the number after which the events come; with `nil`, the page contains only the newest number.
    func events(of user: String, since: Int64?, limit: Int) -> EventPage {
        let log = logs[user] ?? Log()
        guard let since else { return EventPage(items: [], seq: log.seq, reset: false) }
        let first = log.seq - Int64(log.events.count) + 1
        guard since <= log.seq, since >= first - 1 else { return EventPage(items: [], seq: log.seq, reset: true) }
        let items = Array(log.events.dropFirst(Int(since - first + 1)).prefix(limit))
        return EventPage(items: items, seq: items.last?.seq ?? since, reset: false)
    }

    // MARK: Sessions

    /// - Returns: the account and the session.
    func authenticate(_ request: HTTPRequest, _ now: Date) throws -> (String, String) {
        let refusal = FakeProblem(401, "The access token is missing, invalid or expired.")
        guard let field = request.headerFields[.authorization], field.hasPrefix("Bearer "),
            let token = accessTokens[String(field.dropFirst("Bearer ".count))], token.expiresAt > now,
            let session = sessions[token.session], accounts[session.user] != nil
        else { throw refusal }
        return (session.user, token.session)
    }

    func isLive(_ session: String) -> Bool { sessions[session].map { accounts[$0.user] != nil } ?? false }

    mutating func signIn(_ user: String, method: String, _ now: Date) throws -> SignedIn {
        guard let account = accounts[user] else { throw FakeProblem(401, "The account does not exist.") }
        let session = newID()
        let token = issue(session, now)
        sessions[session] = Session(user: user, method: method, createdAt: now, refreshToken: token.refreshToken)
        return SignedIn(user: account.user, token: token)
    }

    mutating func issue(_ session: String, _ now: Date) -> AuthToken {
        let (access, refresh) = ("access-\(newID())", "refresh-\(newID())")
        let expiresAt = now.addingTimeInterval(3_600)
        accessTokens[access] = AccessToken(session: session, expiresAt: expiresAt)
        refreshTokens[refresh] = session
        sessions[session]?.refreshToken = refresh
        return AuthToken(accessToken: access, refreshToken: refresh, expiresAt: expiresAt)
    }

    /// - Returns: the number of sessions that ended.
    @discardableResult
    mutating func endSessions(of user: String, keeping kept: String?) -> Int {
        let ended = sessions.filter { $0.value.user == user && $0.key != kept }.keys
        for session in ended { sessions[session] = nil }
        return ended.count
    }
}

// MARK: Pages

extension Array {
    /// One page of a list.
    /// - Parameters:
    ///   - cursor: the id of the previous page's last row.
    ///   - limit: the most rows on the page. Numbers outside 1…100 are refused, unless `clamp` is set.
    ///   - clamp: the most rows that any page can have; a larger `limit` is reduced to it.
    func page(
        after cursor: String?, limit: Int?, clamp: Int? = nil, _ id: (Element) -> String
    ) throws -> (rows: [Element], next: String?) {
        var rows = self[...]
        if let cursor {
            guard let index = firstIndex(where: { id($0) == cursor }) else {
                throw FakeProblem.invalid("The cursor is invalid or belongs to another list.", "cursor")
            }
            rows = rows[(index + 1)...]
        }
        let limit = limit ?? (clamp == nil ? 20 : 10)
        guard limit >= 1, clamp != nil || limit <= 100 else { throw FakeProblem.invalid("limit must be 1 to 100.", "limit") }
        let page = rows.prefix(Swift.min(limit, clamp ?? limit))
        return (Array(page), page.count < rows.count ? page.last.map(id) : nil)
    }
}

// MARK: Texts

enum FakeText {
    /// Returns the text without white space at its ends.
    /// - Throws: 400 when the text is missing, empty or too long.
    static func required(_ text: String?, _ field: String, max: Int) throws -> String {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) else {
            throw FakeProblem.invalid("\(field) is missing.", field)
        }
        guard !text.isEmpty else { throw FakeProblem.invalid("\(field) must not be blank.", field) }
        guard text.count <= max else { throw FakeProblem.invalid("\(field) may have at most \(max) characters.", field) }
        return text
    }

    /// - Returns: the name that responses contain: `UTC` for `GMT`.
    /// - Throws: 400 if the text is not an IANA name.
    static func zone(_ name: String, _ field: String = "time_zone") throws -> String {
        guard let zone = TimeZone(identifier: name) else { throw FakeProblem.invalid("\(field) must be an IANA name.", field) }
        return zone.identifier == "GMT" ? "UTC" : name
    }

    /// - Parameter order: the `order` parameter of a list.
    /// - Throws: 400 if it is not `asc`, `desc` or absent.
    static func isAscending(_ order: String?) throws -> Bool {
        guard let order, order != "desc" else { return false }
        guard order == "asc" else { throw FakeProblem.invalid("order must be asc or desc.", "order") }
        return true
    }

    /// Applies one value of a partial update.
    static func apply<Value>(_ change: Change<Value>, _ value: inout Value?) {
        switch change {
        case .unchanged: break
        case .clear: value = nil
        case .set(let new): value = new
        }
    }

    static func applyRequired(_ change: Change<String>, _ field: String, max: Int, _ value: inout String) throws {
        switch change {
        case .unchanged: break
        case .clear: throw FakeProblem.invalid("\(field) cannot be cleared.", field)
        case .set(let new): value = try required(new, field, max: max)
        }
    }
}
