import Foundation

/// A queue's folder. It contains a folder for each account of each server, a `QueueScope`.
struct QueueFolder: Sendable {
    let root: URL
    /// The server's URL in lower case, without a slash at its end.
    let server: String

    func scope(of userID: String) -> QueueScope {
        QueueScope(path: root.path + "/" + Self.name(server, userID), server: server, userID: userID)
    }

    /// Makes the name of an account's folder: a hash, because an id may contain characters that file names cannot, and some file systems
    /// ignore case. Two accounts may have the same hash: each entry also names its server and account.
    private static func name(_ server: String, _ userID: String) -> String {
        // The name consists of two FNV-1a hashes with different start values.
        var (first, second): (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x9AE1_6A3B_2F90_404F)
        for byte in "\(server)\n\(userID)".utf8 {
            first = (first ^ UInt64(byte)) &* 0x100_0000_01B3
            second = (second ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return QueueScope.digits(first, radix: 16, count: 16) + QueueScope.digits(second, radix: 16, count: 16)
    }

    private struct Owner: Codable {
        var server: String
        var userID: String
    }

    /// The ids of the accounts of this server that have entries.
    func accounts() throws -> [String] {
        guard FileManager.default.fileExists(atPath: root.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: root.path).sorted().compactMap { name in
            guard let data = FileManager.default.contents(atPath: root.path + "/\(name)/" + Self.ownerFile),
                let owner = try? JSONDecoder().decode(Owner.self, from: data), owner.server == server
            else { return nil }
            let scope = scope(of: owner.userID)
            for place in QueueScope.Place.allCases where try !scope.names(place).isEmpty { return owner.userID }
            return nil
        }
    }

    fileprivate static let ownerFile = "owner.json"

    fileprivate static func writeOwner(_ scope: QueueScope) throws {
        let owner = try JSONEncoder().encode(Owner(server: scope.server, userID: scope.userID))
        _ = try Disk.replace(scope.path + "/" + ownerFile, with: owner, isDurable: true)
    }
}

/// The entries of one account, each a folder with `entry.json` and the bodies of its requests:
///
/// - `new/ID`: an entry that is being composed.
/// - `waiting/NUMBER-ID`: an entry that will be sent, in the order of the numbers.
/// - `held/NUMBER-ID`: an entry that is parked or uncertain.
/// - `gone/ID`: a removed entry, whose files will be deleted.
///
/// A rename moves an entry from one folder to the next, so an entry is always in exactly one of them.
struct QueueScope: Sendable {
    enum Place: String, CaseIterable, Sendable { case waiting, held }

    /// The name of an entry and the folder that contains it.
    struct FoundEntry {
        var name: String
        var place: Place
        var entry: StoredEntry
    }

    static let maxEntryCount = 100_000

    let path: String
    let server: String
    let userID: String

    var sendingLock: String { path + "/sending.lock" }

    func folder(_ name: String, _ place: Place) -> String { "\(path)/\(place.rawValue)/\(name)" }

    static func digits(_ value: some BinaryInteger, radix: Int, count: Int) -> String {
        let text = String(value, radix: radix)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    func prepare() throws {
        // The owner file is written last, so its existence proves that the folders are complete.
        guard !FileManager.default.fileExists(atPath: path + "/" + QueueFolder.ownerFile) else { return }
        for name in ["new", "gone"] + Place.allCases.map(\.rawValue) { try Disk.makeFolder("\(path)/\(name)") }
        // A new folder is durable only when its parent folder is synced. `writeOwner` syncs this account's folder.
        let root = (path as NSString).deletingLastPathComponent
        for folder in [root, (root as NSString).deletingLastPathComponent] { try Disk.sync(folder) }
        try QueueFolder.writeOwner(self)
    }

    // MARK: Reading

    /// The names of the entries, in the order in which they were added; empty if the folder does not exist yet.
    func names(_ place: Place) throws -> [String] {
        let folder = "\(path)/\(place.rawValue)"
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        // The system adds hidden files, for example `.DS_Store`.
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// - Returns: `nil` if the entry does not exist any more, if it is damaged, or if a later version of this library wrote it. An entry
    ///   that cannot be read stays in the folder.
    /// - Throws: an error of the file system, for example because the device is locked.
    func load(_ name: String, _ place: Place) throws -> StoredEntry? {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: folder(name, place) + "/entry.json"))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return nil
        }
        // Compare the server and the account: two of them can have the same folder name.
        guard let entry = try? JSONDecoder().decode(StoredEntry.self, from: data), entry.server == server, entry.userID == userID,
            0...entry.steps.count ~= entry.step, 0..<Int.max ~= entry.attempts
        else { return nil }
        return entry
    }

    func all() throws -> [FoundEntry] {
        try Place.allCases.flatMap { place in
            try names(place).compactMap { name in try load(name, place).map { FoundEntry(name: name, place: place, entry: $0) } }
        }.sorted { $0.name < $1.name }
    }

    func find(_ id: String) throws -> FoundEntry? {
        for place in Place.allCases {
            for name in try names(place) where name.hasSuffix("-" + id) {
                if let entry = try load(name, place) { return FoundEntry(name: name, place: place, entry: entry) }
            }
        }
        return nil
    }

    // MARK: Changes

    /// - Returns: `false` if the entry is no longer there.
    func save(_ entry: StoredEntry, _ name: String, _ place: Place, isDurable: Bool = true) throws -> Bool {
        try Disk.replace(folder(name, place) + "/entry.json", with: JSONEncoder().encode(entry), isDurable: isDurable)
    }

    /// - Returns: `false` if the entry is no longer there.
    func move(_ name: String, from: Place, to: Place) throws -> Bool {
        try Disk.rename(
            folder(name, from), to: folder(name, to), syncing: ["\(path)/\(to.rawValue)", "\(path)/\(from.rawValue)"])
    }

    /// - Returns: `false` if the entry is no longer there.
    func remove(_ name: String, _ place: Place) throws -> Bool {
        let target = "\(path)/gone/\(name)"
        // The rename is not synced. If a power failure brings the entry back, the server recognizes the repeated request.
        guard try Disk.rename(folder(name, place), to: target, syncing: []) else { return false }
        try? FileManager.default.removeItem(atPath: target)
        return true
    }

    /// Deletes files that a crash has left. Only the holder of the sending lock may call it.
    func sweep() {
        emptyGone()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path + "/new")) ?? [] {
            QueueDraft.discardLeftover("\(path)/new/\(name)")
        }
    }

    /// Deletes all drafts, including a draft that `enqueue` is still composing. No draft becomes an entry after this call.
    func dropDrafts() throws {
        let folder = path + "/new"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            // Rename the draft before its files are deleted one by one. Otherwise it could still become an entry without some of its files.
            let target = "\(path)/gone/draft-\(name)"
            if try Disk.rename("\(folder)/\(name)", to: target, syncing: []) { try? FileManager.default.removeItem(atPath: target) }
        }
    }

    /// Deletes files of removed entries and drafts that a crash has left.
    func emptyGone() {
        let folder = path + "/gone"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    /// Gives the entry the next number and moves it to `waiting`.
    /// - Parameter draft: the path of the draft's folder.
    /// - Throws: an error of the file system; then the entry is not in `waiting`.
    func append(_ draft: String, id: String) async throws {
        let name = try await FileLock.hold(path + "/number.lock") { () -> String in
            let counter = path + "/number"
            let last = FileManager.default.contents(atPath: counter).flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? 0
            // The number is a time in microseconds: after a power failure, the counter may be outdated, but the current time is still above
            // the numbers of all entries.
            let number = max(last &+ 1, Int64(Date().timeIntervalSince1970 * 1_000_000))
            // Count the entries only for every 64th number, because counting reads the whole folder.
            if number % 64 == 0, try Place.allCases.reduce(0, { try $0 + names($1).count }) >= Self.maxEntryCount {
                throw KeepsakeError(.queueFull, "The queue has \(Self.maxEntryCount) entries.")
            }
            try Data("\(number)".utf8).write(to: URL(fileURLWithPath: counter), options: .atomic)
            let name = Self.digits(number, radix: 10, count: 16) + "-" + id
            // Rename within the lock, so that the entries have the order of their numbers.
            guard Foundation.rename(draft, folder(name, .waiting)) == 0 else { throw Disk.error(draft) }
            return name
        }
        do {
            try Disk.sync(path + "/waiting")
            try Disk.sync(path + "/new")
        } catch {
            // The caller gets an error and may add the entry again under another key, so this one must not stay.
            guard try remove(name, .waiting) else { return }
            throw error
        }
    }
}

extension KeepsakeError.Code {
    /// The offline queue has the most entries that it can hold.
    public static let queueFull = KeepsakeError.Code(rawValue: "queue_full")
}

/// An entry that is being composed.
struct QueueDraft {
    private let scope: QueueScope
    private let id: String
    private let path: String

    /// After this time, in seconds, a draft is a leftover: no process takes so long to compose one.
    private static let leftoverAge: TimeInterval = 86_400

    init(id: String, in scope: QueueScope) throws {
        try scope.prepare()
        self.scope = scope
        self.id = id
        path = "\(scope.path)/new/\(id)"
        try Disk.makeFolder(path)
    }

    /// Writes the bodies. Its memory use does not grow with the files.
    /// - Parameter queuedAt: as in `QueuedCall.Step.make`.
    func compose(_ call: QueuedCall, key: String, boundary: String, queuedAt: Date?, into entry: inout StoredEntry) throws {
        for (index, step) in call.steps.enumerated() {
            let body = "body-\(index)"
            let file = URL(fileURLWithPath: "\(path)/\(body)")
            let parts = try step.make(entry.userID, file, boundary, queuedAt)
            var size: Int64?
            if parts.contentType != nil {
                try Disk.sync(file.path)
                size = (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber)?.int64Value ?? 0
            }
            entry.byteCount += size ?? 0
            entry.steps.append(
                StoredEntry.Step(
                    method: parts.method, path: parts.path, surface: parts.surface, contentType: parts.contentType,
                    body: size == nil ? nil : body, key: step.keySuffix.map { key + $0 }, takes: step.takes))
        }
    }

    /// Adds the draft to the queue as an entry. When this method returns, the entry is durable.
    func commit(_ entry: StoredEntry) async throws {
        guard try Disk.replace(path + "/entry.json", with: JSONEncoder().encode(entry), isDurable: true) else {
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: path])
        }
        try await scope.append(path, id: id)
    }

    func discard() { try? FileManager.default.removeItem(atPath: path) }

    static func discardLeftover(_ path: String) {
        let changed = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
        guard let changed, Date().timeIntervalSince(changed) > leftoverAge else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
