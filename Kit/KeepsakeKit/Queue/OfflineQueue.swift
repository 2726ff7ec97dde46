public import Foundation
import KeepsakeWire

/// A queue of things to create. The library sends them when the network and the server allow it, even after the app was killed.
///
/// - `enqueue` returns when the entry and copies of its files are on the disk.
/// - The entries of an account are sent one after the other, in the order in which they were added. After a failure that may be temporary,
///   the account's queue waits and tries again. An entry that the server refuses for good is parked, and the queue continues with the next
///   one.
/// - The server creates each entry once: all its attempts carry the same key and the same bytes. `QueueEntry.State.uncertain` is the
///   exception.
/// - An entry is sent only as the account that added it. While another account is signed in, the entry waits.
/// - Several processes, for example an app and its share extension, may use the same folder. Only one of them sends at a time.
///
/// iOS ends a process that holds a lock in a shared folder while it is suspended. So call `stop` when the app goes to the background, or
/// send in a background task. If iOS ends the process, no entry is lost.
public actor OfflineQueue {
    let client: Client
    let captures: Captures
    let folder: QueueFolder
    /// How long the server keeps an idempotency key, in seconds.
    let keyLifetime: TimeInterval

    var status = QueueStatus.stopped
    /// Names of the entries to send next, in reverse order.
    var upcoming: [String] = []
    /// Whether an entry may exist that comes before those in `upcoming`. `next` then reads the folder again.
    var isStale = false
    /// Whether the last exchange with the server succeeded.
    var isReachable = false
    /// The entry that is being sent.
    var current: (id: String, request: Task<TransportResponse, any Error>)?
    var draining: Task<QueueStatus, Never>?
    var loop: Task<Void, Never>?
    var pause: Task<Void, Never>?
    var wakeCount = 0
    var sentCount = 0
    /// The number of calls of `removeAll`, by account.
    private var removals: [String: Int] = [:]
    let subscribers = QueueSubscribers()

    /// - Parameters:
    ///   - keepsake: the server to which the queue sends. Entries for another URL stay in the folder until a queue for that URL sends them.
    ///   - folder: a folder only for queues; created if it is missing. Its files are not encrypted; only the user who runs the app can read
    ///     them. Do not choose a folder that the system empties, such as one for caches or temporary files: unsent entries would be lost.
    ///   - keyLifetime: how long the server keeps idempotency keys (its setting `KEEPSAKE_IDEMPOTENCY_DAYS`); default 30 days. If you pass
    ///     more than the server's setting, the queue can create something twice. If you pass less, entries only become uncertain earlier.
    public init(_ keepsake: Keepsake, folder: URL, keyLifetime: Duration = .seconds(30 * 86_400)) {
        client = keepsake.client
        captures = keepsake.captures
        self.folder = QueueFolder(root: folder, server: keepsake.client.origin)
        self.keyLifetime = keyLifetime.seconds
    }

    // MARK: Entries

    /// Adds an entry for the account that is signed in. It needs no network, and returns when the entry is durable. If the app ends before
    /// that, either the whole entry was added or nothing.
    ///
    /// A mood, a memory, an event or a capsule without a `createdAt` gets the time of this call, unless you pass a key.
    /// - Parameters:
    ///   - label: a text for the app's own use; at most 1,000 bytes.
    ///   - key: 1…200 visible ASCII characters; by default a new key. If the app has made an attempt before with the same arguments, for
    ///     example with `Keepsake.send`, pass the key of that attempt: then the server creates one thing for both. Pass the same
    ///     `createdAt` to both. If both have none, the entry's time is the time at which the server receives it.
    /// - Throws: `signed_out`, `store_unavailable`, `invalid_request`, or an error of the file system, for example when the disk is full.
    ///   `queue_full` at 100,000 entries. `cancelled` if `removeAll` was called in the meantime. After an error, nothing was added.
    @discardableResult
    public func enqueue(_ call: QueuedCall, label: String = "", key: String? = nil) async throws -> QueueEntry {
        guard label.utf8.count <= 1_000 else {
            throw KeepsakeError(.invalidRequest, "The label is longer than 1,000 bytes.", field: "label")
        }
        if let key, !(1...200).contains(key.utf8.count) || !key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) {
            throw KeepsakeError(.invalidRequest, "A key has 1 to 200 visible ASCII characters.", field: "key")
        }
        let before = removals
        let owner = try await client.session.identity()
        guard removals[owner.userID] == before[owner.userID] else { throw Self.allRemoved }
        let (scope, id) = (folder.scope(of: owner.userID), client.randomness.id())
        // The draft is made on the actor. So a `removeAll` either comes before the check above, or finds the draft and deletes it.
        let draft = try QueueDraft(id: id, in: scope)
        let stored: StoredEntry
        do {
            stored = try await Self.add(
                call, label, key ?? call.key, draft, to: scope, id: id, boundary: "keepsake-\(client.randomness.id())",
                now: client.clock.now())
        } catch {
            guard removals[owner.userID] == before[owner.userID] else { throw Self.allRemoved }
            throw error
        }
        // If `removeAll` was called in the meantime, it has removed the finished entry.
        guard removals[owner.userID] == before[owner.userID] else { throw Self.allRemoved }
        let entry = QueueEntry(stored, .waiting)
        notify(.added(entry))
        wake()
        return entry
    }

    private static let allRemoved = KeepsakeError(.cancelled, "All entries of the account were removed.")

    /// Copies the files into the draft. It runs outside the actor, because copying takes time.
    private nonisolated static func add(
        _ call: QueuedCall, _ label: String, _ key: String?, _ draft: QueueDraft, to scope: QueueScope, id: String, boundary: String,
        now: Date
    ) async throws -> StoredEntry {
        var entry = StoredEntry(
            id: id, server: scope.server, userID: scope.userID, kind: call.kind.rawValue, label: label, queuedAt: now)
        do {
            // If the app passed a key, the server may know the request from an earlier attempt, whose body had no time. The server refuses
            // a key with another body, so the entry must get no time either.
            try draft.compose(call, key: key ?? id, boundary: boundary, queuedAt: key == nil ? now : nil, into: &entry)
            try await draft.commit(entry)
        } catch {
            draft.discard()
            throw error
        }
        return entry
    }

    /// The entries of the account that is signed in, from all processes, in the order in which they were added.
    /// - Throws: `signed_out`, `store_unavailable`, or an error of the file system.
    public func entries() async throws -> [QueueEntry] { try entries(of: try await client.session.identity().userID) }

    /// The entries of an account, which need not be signed in.
    /// - Parameter userID: the id of any account that used this folder.
    public func entries(of userID: String) throws -> [QueueEntry] {
        try folder.scope(of: userID).all().map { entry(for: $0) }
    }

    /// The entry with this id.
    /// - Returns: `nil` if the account that is signed in has no such entry.
    public func entry(_ id: QueueEntry.ID) async throws -> QueueEntry? {
        let scope = folder.scope(of: try await client.session.identity().userID)
        return try scope.find(id).map { entry(for: $0) }
    }

    /// The ids of all accounts that have entries.
    public func accounts() throws -> [String] { try folder.accounts() }

    /// Sends a parked or uncertain entry again, before the entries that were added after it. If the server has already created an uncertain
    /// entry, this creates it a second time.
    /// - Returns: `false` if there is no such entry, or if it is waiting already.
    @discardableResult
    public func retry(_ id: QueueEntry.ID) async throws -> Bool {
        let scope = folder.scope(of: try await client.session.identity().userID)
        guard let found = try scope.find(id), found.place == .held, try release(found, in: scope) else { return false }
        wake()
        return true
    }

    /// Sends all parked entries of the account that is signed in again, but not its uncertain ones.
    /// - Returns: the number of entries that will be sent again.
    @discardableResult
    public func retryParked() async throws -> Int {
        let scope = folder.scope(of: try await client.session.identity().userID)
        var count = 0
        for name in try scope.names(.held) {
            guard let entry = try scope.load(name, .held), entry.hold != .uncertain else { continue }
            if try release(.init(name: name, place: .held, entry: entry), in: scope) { count += 1 }
        }
        if count > 0 { wake() }
        return count
    }

    private func release(_ found: QueueScope.FoundEntry, in scope: QueueScope) throws -> Bool {
        var entry = found.entry
        // The server may have forgotten the key of an uncertain entry, so count the key's lifetime from the next attempt.
        if entry.hold == .uncertain { entry.firstAttemptAt = nil }
        entry.hold = nil
        entry.failure = nil
        guard try scope.save(entry, found.name, .held), try scope.move(found.name, from: .held, to: .waiting) else { return false }
        isStale = true
        notify(.changed(QueueEntry(entry, .waiting)))
        return true
    }

    /// Removes an entry and its files. If this process is sending one of its requests, that request ends; the server may create the content
    /// anyway.
    /// - Returns: the entry as it was; `nil` if there is none. If its `attempts` are not 0, the server may have created its content.
    @discardableResult
    public func cancel(_ id: QueueEntry.ID) async throws -> QueueEntry? {
        let scope = folder.scope(of: try await client.session.identity().userID)
        guard let found = try scope.find(id), try scope.remove(found.name, found.place) else { return nil }
        let removed = entry(for: found)
        if let current, current.id == id { current.request.cancel() }
        notify(.cancelled(removed))
        return removed
    }

    /// Removes all entries of an account, for example after its owner signed out for good. A call of `enqueue`
    /// for this account that is still running, in this or another process, adds nothing; in this process, it throws `cancelled`. The folder
    /// then contains no copies of the account's files, not even copies that a crash has left.
    /// - Throws: an error of the file system; then some entries may still be there.
    public func removeAll(of userID: String) throws {
        let scope = folder.scope(of: userID)
        removals[userID, default: 0] += 1
        // Delete the drafts first: after that, no draft can become an entry.
        try scope.dropDrafts()
        // Read `waiting` a second time, because another process may have moved an entry there from `held`.
        let places: [QueueScope.Place] = [.waiting, .held, .waiting]
        for place in places {
            for name in try scope.names(place) {
                let stored = try? scope.load(name, place)
                guard try scope.remove(name, place), let stored else { continue }
                if let current, current.id == stored.id { current.request.cancel() }
                notify(.cancelled(QueueEntry(stored, place)))
            }
        }
        scope.emptyGone()
    }

    private func entry(for found: QueueScope.FoundEntry) -> QueueEntry {
        var entry = QueueEntry(found.entry, found.place)
        if current?.id == entry.id { entry.state = .sending }
        return entry
    }

    // MARK: Observers

    /// The changes of the queue from now on, for one consumer.
    public func events() -> QueueEvents {
        let subscriber = QueueSubscriber()
        subscribers.add(subscriber)
        return QueueEvents(subscriber: subscriber)
    }

    /// What the queue does now.
    public var currentStatus: QueueStatus { status }

    func notify(_ event: QueueEvent) { subscribers.offer(event) }

    func notify(status new: QueueStatus) {
        guard new != status else { return }
        status = new
        notify(.status(new))
    }
}
