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
        /// Subjects of other providers.
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
        /// Whether it is on the timeline by itself, not as a part of another entry.
        var isAlone: Bool
    }

    struct Archive {
        var id: String
        var files: [String]
        var expiresAt: Date
    }

    struct Log {
        var seq: Int64 = 0
        /// Without holes, up to `seq`.
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
        /// `nil` when what it created was deleted.
        var body: Data?
        var resources: [String]
    }

    private var lastNumber = 0
    var accounts: [String: Account] = [:]
    var sessions: [String: Session] = [:]
    var accessTokens: [String: AccessToken] = [:]
    /// Each token that was issued, also used ones, with its session.
    var refreshTokens: [String: String] = [:]
    var logs: [String: Log] = [:]
    var creations: [CreationID: Creation] = [:]
    /// What the current creation has made.
    var created: [String] = []

    /// By owner, in the order of creation.
    var files: [String: [StoredFile]] = [:]
    /// By owner, in the order of creation, the last 20 of each.
    var archives: [String: [Archive]] = [:]
    /// The id of the file, by owner.
    var profilePictures: [String: String] = [:]
    var moods: [String: [MoodData]] = [:]
    var memories: [String: [MemoryData]] = [:]
    var events: [String: [EventData]] = [:]
    var capsules: [String: [Capsule]] = [:]
    var captures: [String: [Capture]] = [:]
    /// By `owner/capture/photo` and `owner/capture/audio`.
    var captureFiles: [String: (data: Data, type: String)] = [:]
    /// The transcriptions that clients sent, which later messages are compared with. By `owner/capture`.
    var sentTexts: [String: String] = [:]
    /// As `owner/capture`: these ids do not come back.
    var deletedCaptures: Set<String> = []
    var contacts: [String: [KnownContact]] = [:]
    /// Names that the user deleted, and captures that mention each contact.
    var mentions: [String: Set<String>] = [:]
    /// Photos of profiles, by their id.
    var photos: [String: Data] = [:]
    var requests: [FriendRequest] = []
    var friendships: [Friendship] = []
    var blocks: [FakeBlock] = []
    var coves: [FakeCove] = []
    var invites: [FakeInvite] = []
    var coveEvents: [FakeCoveEvent] = []
    var transcript: String?
    /// By owner, in the order of creation.
    var chats: [String: [FakeConversation]] = [:]
    /// The ids of people's messages whose conversations they deleted.
    var deletedMessages: [String: Set<String>] = [:]
    var chatFiles: [String: [FakeChatFile]] = [:]
    /// What the fake server says in chats.
    var chatAnswer = "No model is configured on this server."

    /// Looks like the server's ids, and ids grow with time.
    mutating func newID() -> String {
        lastNumber += 1
        let text = String(lastNumber, radix: 16)
        return "00000000-0000-7000-8000-" + String(repeating: "0", count: max(0, 12 - text.count)) + text
    }

    /// A new id, of something that an `Idempotency-Key` creates.
    mutating func create() -> String {
        let id = newID()
        created.append(id)
        return id
    }

    /// Ends what a creation under a key has made: a repeat then gets 410.
    mutating func forget(_ id: String) {
        for (key, creation) in creations where creation.resources.contains(id) { creations[key]?.body = nil }
    }

    /// Changes nothing when `body` throws.
    mutating func attempt<Result>(_ body: (inout FakeState) throws -> Result) throws -> Result {
        var copy = self
        let result = try body(&copy)
        self = copy
        return result
    }

    // MARK: Events

    /// How many events the server keeps for an account.
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

    /// - Parameter since: `nil` asks for the newest number only.
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

    /// - Returns: how many ended.
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
    ///   - limit: refused outside 1…100, unless `clamp` is set.
    ///   - clamp: the largest page, to which larger limits are reduced.
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
    /// - Throws: 400 when the text is empty or too long.
    static func required(_ text: String?, _ field: String, max: Int) throws -> String {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) else {
            throw FakeProblem.invalid("\(field) is missing.", field)
        }
        guard !text.isEmpty else { throw FakeProblem.invalid("\(field) must not be blank.", field) }
        guard text.count <= max else { throw FakeProblem.invalid("\(field) may have at most \(max) characters.", field) }
        return text
    }

    /// - Returns: the name as responses have it: `UTC` for `GMT`.
    /// - Throws: 400 unless the text is an IANA name.
    static func zone(_ name: String, _ field: String = "time_zone") throws -> String {
        guard let zone = TimeZone(identifier: name) else { throw FakeProblem.invalid("\(field) must be an IANA name.", field) }
        return zone.identifier == "GMT" ? "UTC" : name
    }

    /// - Parameter order: that of a list.
    /// - Throws: 400 unless it is `asc`, `desc` or absent.
    static func isAscending(_ order: String?) throws -> Bool {
        guard let order, order != "desc" else { return false }
        guard order == "asc" else { throw FakeProblem.invalid("order must be asc or desc.", "order") }
        return true
    }

    /// The values of a partial update.
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
