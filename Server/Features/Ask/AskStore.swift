import Core
import Database
import FeatureKit
import Intelligence
import KeepsakeWire
import Search

/// Reads the entries that a question may be about.
struct AskStore: Sendable {
    let database: any Database
    let kinds: [EntryKind]

    /// The most entries of each kind that are read of a named day.
    private static let perKind = 100

    struct Material: Sendable {
        var found: EntryFinder.Result
        /// The entries within the question's days; `nil` when it names none.
        var inRange: [EntryFinder.Name: Timestamp]?
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
            var inRange: [EntryFinder.Name: Timestamp] = [:]
            for entries in kinds where entries.has(anyOf: request.kinds) {
                for entry in try entries.list?(request, tx) ?? [] {
                    inRange[EntryFinder.Name(kind: entry.kind, id: entry.position.id)] = entry.position.at
                }
            }
            return inRange
        }
        for (name, entry) in found.entries where Self.contains(range, entry.at) { inRange[name] = entry.at }
        return Material(found: found, inRange: inRange)
    }

    /// The entries themselves with their texts. Entries that were deleted meanwhile are missing.
    func entries(
        _ names: [EntryFinder.Name], owner: String
    ) async throws -> [EntryFinder.Name: (item: TimelineItem, texts: [AnswerSource.Text])] {
        guard !names.isEmpty else { return [:] }
        let read = try await database.read { tx in
            let texts = try EntryFinder().texts(of: names, owner: owner, tx)
            var read: [EntryFinder.Name: (entry: EntryKind.Entry, texts: [AnswerSource.Text])] = [:]
            for (kind, names) in Dictionary(grouping: names, by: \.kind) {
                guard let entries = kinds.first(where: { $0.names.contains(kind) }) else { continue }
                for entry in try entries.entries(names.map(\.id), owner, tx) where entry.kind == kind {
                    let name = EntryFinder.Name(kind: kind, id: entry.position.id)
                    if let texts = texts[name] { read[name] = (entry, texts.map(AskRules.quotable)) }
                }
            }
            return read
        }
        return read.mapValues { (item: $0.entry.item, texts: $0.texts) }
    }

    static func contains(_ range: TimeRange, _ moment: Timestamp) -> Bool {
        (range.from.map { moment >= $0 } ?? true) && (range.to.map { moment < $0 } ?? true)
    }
}
