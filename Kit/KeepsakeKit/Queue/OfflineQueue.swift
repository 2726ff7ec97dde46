public import Foundation
import KeepsakeWire

/// Creations that the library sends when the network and the server allow it, even after the app was killed.
///
/// - `enqueue` returns when the entry and copies of its files are on the disk.
/// - The entries of an account are sent one after the other, in the order in which they were added. A failure that may be temporary stops the
///   account's queue until it has passed. An entry that the server refuses for good is parked, and the next one follows.
/// - Each entry is created once: all its attempts carry the same key and the same bytes. See `QueueEntry.State.uncertain` for the exception.
/// - An entry is only sent as the account that added it. While somebody else is signed in, it waits.
/// - Several processes, for example an app and its share extension, may use the same folder. One at a time sends.
///
/// iOS ends a process that is suspended while it holds a lock in a shared folder. So call `stop` when the app goes to the background, or
/// send in a background task. If iOS ends the process, no entry is lost.
public actor OfflineQueue {
    let client: Client
    let captures: Captures
    let folder: QueueFolder
    /// How long the server recognizes a repeat.
    let keyLifetime: TimeInterval

    var status = QueueStatus.stopped
    /// Names of the entries to send next, last first.
    var upcoming: [String] = []
    /// Whether `upcoming` may lack entries that come before those in it. `next` then reads the folder again.
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
    /// Calls of `removeAll`, by account.
    private var removals: [String: Int] = [:]
    let subscribers = QueueSubscribers()

    /// - Parameters:
    ///   - keepsake: the queue sends to its server. Entries for another URL stay in the folder until a queue for that URL sends them.
    ///   - folder: contains nothing but queues; created if it is missing. Its files are not encrypted; only the user who runs the app can
    ///     read them. Do not choose a folder that the system empties, such as one for caches or temporary files: unsent entries would be lost.
    ///   - keyLifetime: how long the server keeps idempotency keys, its setting `KEEPSAKE_IDEMPOTENCY_DAYS`; default 30 days. If this is
    ///     longer than the server's setting, the queue can create something twice; if it is shorter, entries only become uncertain earlier.
    public init(_ keepsake: Keepsake, folder: URL, keyLifetime: Duration = .seconds(30 * 86_400)) {
        client = keepsake.client
        captures = keepsake.captures
        self.folder = QueueFolder(root: folder, server: keepsake.client.origin)
        self.keyLifetime = keyLifetime.seconds
    }

    // MARK: Entries

    /// Adds an entry for the account that is signed in. It returns when the entry is durable; it needs no network. If the app ends before
    /// that, the entry was added as a whole or not at all.
    ///
    /// A mood, a memory, an event or a capsule without a `createdAt` gets the time of this call, unless you pass a key.
    /// - Parameters:
    ///   - label: for the app; at most 1,000 bytes.
    ///   - key: the key of an attempt that the app made before with the same arguments, for example with `Keepsake.send`; the server then
    ///     creates one thing for both. 1…200 visible ASCII characters; by default a new one. Pass the same `createdAt` to both; if both
    ///     have none, the entry's time is that at which the server receives it.
    /// - Throws: `signed_out`, `store_unavailable`, `invalid_request`, or an error of the file system, for example when the disk is full;
    ///   then nothing was added. `queue_full` at 100,000 entries. `cancelled` if `removeAll` was called meanwhile.
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
        // The draft is made on the actor: a `removeAll` comes before the check above, or finds the draft.
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
        // Then `removeAll` has removed the finished entry.
        guard removals[owner.userID] == before[owner.userID] else { throw Self.allRemoved }
        let entry = QueueEntry(stored, .waiting)
        notify(.added(entry))
        wake()
        return entry
    }

    private static let allRemoved = KeepsakeError(.cancelled, "All entries of the account were removed.")

    /// Copies files, so it runs outside the actor.
    private nonisolated static func add(
        _ call: QueuedCall, _ label: String, _ key: String?, _ draft: QueueDraft, to scope: QueueScope, id: String, boundary: String,
        now: Date
    ) async throws -> StoredEntry {
        var entry = StoredEntry(
            id: id, server: scope.server, userID: scope.userID, kind: call.kind.rawValue, label: label, queuedAt: now)
        do {
            // With a key of the app, the server may know the request from an earlier attempt, whose body had no time. It would refuse the
            // key with another body, so add no time.
            try draft.compose(call, key: key ?? id, boundary: boundary, queuedAt: key == nil ? now : nil, into: &entry)
            try await draft.commit(entry)
        } catch {
            draft.discard()
            throw error
        }
        return entry
    }

    /// The entries of the account that is signed in, in the order in which they were added, of all processes.
    /// - Throws: `signed_out`, `store_unavailable`, or an error of the file system.
    public func entries() async throws -> [QueueEntry] { try entries(of: try await client.session.identity().userID) }

    /// - Parameter userID: the id of any account that used this folder.
    public func entries(of userID: String) throws -> [QueueEntry] {
        try folder.scope(of: userID).all().map { entry(for: $0) }
    }

    /// - Returns: `nil` if the account that is signed in has no such entry.
    public func entry(_ id: QueueEntry.ID) async throws -> QueueEntry? {
        let scope = folder.scope(of: try await client.session.identity().userID)
        return try scope.find(id).map { entry(for: $0) }
    }

    /// The ids of all accounts that have entries.
    public func accounts() throws -> [String] { try folder.accounts() }

    /// Sends a parked or an uncertain entry again, before the entries that were added later. If the server has already created an uncertain
    /// entry, this creates it a second time.
    /// - Returns: `false` if there is no such entry, or it waits already.
    @discardableResult
    public func retry(_ id: QueueEntry.ID) async throws -> Bool {
        let scope = folder.scope(of: try await client.session.identity().userID)
        guard let found = try scope.find(id), found.place == .held, try release(found, in: scope) else { return false }
        wake()
        return true
    }

    /// As `retry`, for all parked entries of the account that is signed in, but not for uncertain ones.
    /// - Returns: how many will be sent again.
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

    /// Removes an entry and its files. A request that this process is sending ends; the server may have created it anyway.
    /// - Returns: the entry as it was; `nil` if there is none. If its `attempts` are not 0, the server may have created it.
    @discardableResult
    public func cancel(_ id: QueueEntry.ID) async throws -> QueueEntry? {
        let scope = folder.scope(of: try await client.session.identity().userID)
        guard let found = try scope.find(id), try scope.remove(found.name, found.place) else { return nil }
        let removed = entry(for: found)
        if let current, current.id == id { current.request.cancel() }
        notify(.cancelled(removed))
        return removed
    }

    /// Removes all entries of an account, for example after its owner signed out for good. An `enqueue` for the account that has not
    /// returned yet throws `cancelled` in this process, and adds nothing in another process. The folder then contains no copies of the
    /// account's files, not even copies that a crash has left.
    /// - Throws: an error of the file system; then some entries may still be there.
    public func removeAll(of userID: String) throws {
        let scope = folder.scope(of: userID)
        removals[userID, default: 0] += 1
        // Drafts first: each is an entry by now, or never becomes one.
        try scope.dropDrafts()
        // `waiting` twice: another process may have moved an entry there from `held`.
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

    /// The changes from now on, for one consumer.
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
