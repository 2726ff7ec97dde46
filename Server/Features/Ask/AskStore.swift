import Core
import Database
import FeatureKit
import Search

/// Reads the entries that a question may be about.
struct AskStore: Sendable {
    let database: any Database
    let kinds: [EntryKind]

    /// The most entries of each kind that are read for the days that a question names.
    private static let perKind = 100

    struct Material: Sendable {
        var found: EntryFinder.Result
        /// The entries within the question's days; `nil` when the question names no days.
        var inRange: [EntryName: Timestamp]?
    }

    /// Finds entries by words and days, in several reads.
    /// - Parameters:
    ///   - terms: for each term, the phrases that match it.
    ///   - soonestFirst: if the range has more entries than `perKind`, `true` reads the earliest of each kind, `false` the latest.
    func material(
        _ terms: [[TokenPhrase]], range: TimeRange?, soonestFirst: Bool = false, kind: String?, owner: String
    ) async throws -> Material {
        let found = try await EntryFinder().find(terms, owner: owner, kind: kind, in: database)
        guard let range else { return Material(found: found, inRange: nil) }
        let request = EntryKind.Request(
            owner: owner, from: range.from, to: range.to, tag: nil, kinds: kind.map { [$0] },
            order: soonestFirst ? .ascending : .descending, after: nil, limit: Self.perKind, positionsOnly: true)
        var inRange = try await database.read { [kinds] tx in
            var inRange: [EntryName: Timestamp] = [:]
            for entries in kinds where entries.has(anyOf: request.kinds) {
                for entry in try entries.list?(request, tx) ?? [] {
                    inRange[EntryName(kind: entry.kind, id: entry.position.id)] = entry.position.at
                }
            }
            return inRange
        }
        for (name, entry) in found.entries where Self.contains(range, entry.at) { inRange[name] = entry.at }
        return Material(found: found, inRange: inRange)
    }

    /// The texts of entries of the known kinds. They are not decoded.
    func texts(of names: [EntryName], owner: String) async throws -> [EntryName: EntryFinder.StoredTexts] {
        let known = names.filter { name in kinds.contains { $0.names.contains(name.kind) } }
        guard !known.isEmpty else { return [:] }
        return try await database.read { tx in try EntryFinder().texts(of: known, owner: owner, tx) }
    }

    /// Reads whole entries. They may be long: an entry can have 400 KB. Entries that were deleted meanwhile are missing.
    /// - Parameter names: at most `AskRules.offeredCount`.
    func entries(_ names: Set<EntryName>, owner: String) async throws -> [EntryName: EntryKind.Entry] {
        guard !names.isEmpty else { return [:] }
        return try await database.read { tx in
            var read: [EntryName: EntryKind.Entry] = [:]
            for (kind, names) in Dictionary(grouping: names, by: \.kind) {
                guard let entries = kinds.first(where: { $0.names.contains(kind) }) else { continue }
                for entry in try entries.entries(names.map(\.id), owner, tx) where entry.kind == kind {
                    read[EntryName(kind: kind, id: entry.position.id)] = entry
                }
            }
            return read
        }
    }

    static func contains(_ range: TimeRange, _ moment: Timestamp) -> Bool {
        (range.from.map { moment >= $0 } ?? true) && (range.to.map { moment < $0 } ?? true)
    }
}
