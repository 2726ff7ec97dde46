package import Core
import Crypto
import Foundation
import NIOCore

/// One installation's backups in a place: its mark, its snapshots and the deletions recorded there.
package struct BackupRepository: Sendable {
    package let place: any BackupPlace
    let clock: WallClock
    let entropy: Entropy

    package init(_ place: any BackupPlace, clock: WallClock, entropy: Entropy = .system) {
        self.place = place
        self.clock = clock
        self.entropy = entropy
    }

    /// An account whose owner deleted it, with the time.
    package struct Deletion: Sendable, Codable, Hashable {
        /// The hash of the account's id: a backup must not keep more of a deleted account than that.
        package let account: String
        package let at: Timestamp
        /// Whether coves that the account had created were handed to other members. False in records older than this member.
        package let keepsCoves: Bool

        /// A deletion's time is set before its commit, by the clock of its node. So a reader that wants all deletions after a moment starts
        /// this much earlier. Repeating a deletion that the snapshot already has changes nothing.
        static let overlap = Duration.hours(1)

        package init(account: String, at: Timestamp, keepsCoves: Bool = false) {
            self.account = account
            self.at = at
            self.keepsCoves = keepsCoves
        }

        package init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            account = try members.decode(String.self, forKey: .account)
            at = try members.decode(Timestamp.self, forKey: .at)
            keepsCoves = try members.decodeIfPresent(Bool.self, forKey: .keepsCoves) ?? false
        }
    }

    private struct Mark: Codable {
        var format = Snapshot.format
        let installation: String
    }

    /// Deletions that were read from the database at `through`.
    struct Deletions: Codable {
        let through: Timestamp
        let accounts: [Deletion]
    }

    // MARK: The mark

    /// Marks the place as this installation's. A lost mark is written again if every snapshot is this installation's.
    /// - Throws: when the place holds another installation's backups, or other files.
    func claim(for installation: String) async throws {
        if let known = try await mark() {
            guard known == installation else { throw foreign }
            return
        }
        let ids = try await snapshotIDs()
        for id in ids where try await snapshot(id).installation != installation { throw foreign }
        if ids.isEmpty, try await !place.list("").next().isEmpty {
            throw TransferFailure(.refused, "\(place.description) is not empty and holds no backups. Choose an empty place.")
        }
        try await place.write(BackupNames.mark, try Self.encode(Mark(installation: installation)))
    }

    private var foreign: TransferFailure {
        TransferFailure(.refused, "\(place.description) holds the backups of another installation. Choose another place.")
    }

    /// The id of the installation; `nil` where no backup was ever made, or where the mark was lost.
    func mark() async throws -> String? {
        guard let bytes = try await place.text(BackupNames.mark) else { return nil }
        let mark: Mark
        do {
            mark = try decode(Mark.self, bytes, BackupNames.mark)
        } catch let failure as TransferFailure {
            throw TransferFailure(failure.kind, "\(failure.description) Delete this file: the next backup writes it anew.")
        }
        guard mark.format == Snapshot.format else { throw newer }
        return mark.installation
    }

    private var newer: TransferFailure {
        TransferFailure(.refused, "The backups in \(place.description) were made by a newer version of keepsake. Use that version.")
    }

    // MARK: Snapshots

    /// The ids of the complete snapshots, oldest first. They can be read without the mark, which only keeps installations apart.
    package func snapshots() async throws -> [String] {
        let ids = try await snapshotIDs()
        guard try await mark() != nil || !ids.isEmpty else {
            throw TransferFailure(.refused, "There is no backup in \(place.description).")
        }
        return ids
    }

    private func snapshotIDs() async throws -> [String] {
        try await place.names(in: BackupNames.snapshots).compactMap { name in
            let parts = name.split(separator: "/")
            return parts.count == 3 && parts[2] == "snapshot" ? String(parts[1]) : nil
        }
    }

    /// - Throws: also when the description has names from which no path may be built. Anybody who can write to the place can change the
    ///   description.
    package func snapshot(_ id: String) async throws -> Snapshot {
        guard BackupNames.isPlain(id) else { throw TransferFailure(.refused, "\(id) is not the name of a snapshot.") }
        let name = BackupNames.description(id)
        guard let bytes = try await place.text(name) else {
            throw TransferFailure(.refused, "There is no snapshot \(id) in \(place.description).")
        }
        let snapshot = try decode(Snapshot.self, bytes, name)
        guard snapshot.format == Snapshot.format else { throw newer }
        guard snapshot.id == id, snapshot.tables.allSatisfy({ BackupNames.isPlain($0.name) }) else {
            throw TransferFailure(.damaged, "\(name) in \(place.description) is damaged.")
        }
        return snapshot
    }

    func write(_ snapshot: Snapshot) async throws {
        try await place.write(BackupNames.description(snapshot.id), try Self.encode(snapshot))
    }

    /// The id of a snapshot: the time and a random part. Ids sort by time.
    func newID(at time: Timestamp) -> String { "\(time.basicISO8601)-\(Hex.encode(entropy.bytes(4)))" }

    // MARK: Deletions

    /// The time up to which deletions are recorded. A record of a clock that was ahead does not count: no deletion would be recorded until
    /// the record's time.
    func deletionsThrough() async throws -> Timestamp {
        let now = clock.now
        for name in try await place.names(in: BackupNames.deletions).reversed() {
            let through = try await deletions(name).through
            if through <= now { return through }
        }
        return Timestamp(microseconds: 0)
    }

    func record(_ deletions: [Deletion], through time: Timestamp) async throws {
        let id = newID(at: time)
        try await place.write(BackupNames.deletions(id), try Self.encode(Deletions(through: time, accounts: deletions)))
    }

    /// The recorded deletions that the snapshot may lack; of each account, only the last one.
    func deletions(since snapshot: Snapshot) async throws -> [Deletion] {
        // The time of a snapshot in the future comes from a clock that was ahead, so it cannot be compared.
        guard snapshot.createdAt <= clock.now else { return try await deletions(after: Timestamp(microseconds: .min)) }
        return try await deletions(after: snapshot.createdAt - Deletion.overlap)
    }

    /// The recorded deletions after `time`; of each account, only the last one.
    package func deletions(after time: Timestamp) async throws -> [Deletion] {
        var found: [String: Deletion] = [:]
        for name in try await place.names(in: BackupNames.deletions) {
            let record = try await deletions(name)
            guard record.through > time else { continue }
            for one in record.accounts where one.at > time {
                if let other = found[one.account], other.at > one.at { continue }
                found[one.account] = one
            }
        }
        return found.values.sorted { ($0.at, $0.account) < ($1.at, $1.account) }
    }

    func deletions(_ name: String) async throws -> Deletions {
        guard let bytes = try await place.text(name) else { throw TransferFailure(.damaged, "\(name) in \(place.description) is missing.") }
        return try decode(Deletions.self, bytes, name)
    }

    // MARK: Coding

    /// JSON in one line, and its hash in the next.
    static func encode(_ value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder.withSortedKeys()
        let json = try encoder.encode(value)
        return ByteBuffer(bytes: Array(json) + [10] + Array((Hex.encode(SHA256.hash(data: json)) + "\n").utf8))
    }

    func decode<Value: Decodable>(_ type: Value.Type, _ bytes: ByteBuffer, _ name: String) throws -> Value {
        let lines = Data(bytes.readableBytesView).split(separator: 10)
        guard lines.count == 2, Hex.encode(SHA256.hash(data: lines[0])) == String(decoding: lines[1], as: UTF8.self),
            let value = try? JSONDecoder().decode(Value.self, from: lines[0])
        else { throw TransferFailure(.damaged, "\(name) in \(place.description) is damaged.") }
        return value
    }
}
