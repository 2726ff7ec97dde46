import Foundation
import KeepsakeWire

extension FakeRoutes {
    mutating func addReading() {
        serve(TimelineEndpoints.timeline) { input, call, state in
            let zone = state.zone(of: call.caller)
            let (from, to) = (try FakeTime.start(input.from, zone), try FakeTime.end(input.to, zone))
            let kinds = input.kind.map { Set($0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)) }
            guard kinds?.isSubset(of: FakeEntry.kinds) ?? true else {
                throw FakeProblem.invalid("kind must be one or several of \(FakeEntry.kinds.joined(separator: ", ")).", "kind")
            }
            let all = state.entries(of: call.caller).filter { entry in
                let at = entry.item.date
                return entry.isOnTimeline && from.map { at >= $0 } ?? true && to.map { at < $0 } ?? true
                    && input.tag.map(entry.tags.contains) ?? true && kinds?.contains(entry.item.kind) ?? true
            }
            var sorted = all.sorted { ($0.item.at, $0.id) > ($1.item.at, $1.id) }
            if try FakeText.isAscending(input.order) { sorted.reverse() }
            let page = try sorted.page(after: input.cursor, limit: input.limit) { $0.id }
            return TimelineResponse(items: page.rows.map(\.item), pagination: Pagination(nextCursor: page.next))
        }
        serve(SearchEndpoints.search) { input, call, state in
            let words = FakeWords(input.q)
            guard !words.isEmpty else { throw FakeProblem.invalid("q must contain a word.", "q") }
            let found = state.entries(of: call.caller).compactMap { entry -> (FakeEntry, [SearchItem.Snippet])? in
                guard input.kind == nil || input.kind == entry.item.kind, words.match(entry.texts.map(\.text)) else { return nil }
                return (
                    entry,
                    entry.texts.compactMap { field, text in
                        let marks = words.marks(in: text)
                        return marks.isEmpty ? nil : SearchItem.Snippet(field: field, text: text, marks: marks)
                    }
                )
            }
            let sorted = found.sorted { ($0.1.count, $0.0.item.at, $0.0.id) > ($1.1.count, $1.0.item.at, $1.0.id) }
            let page = try sorted.page(after: input.cursor, limit: input.limit) { $0.0.id }
            return SearchResponse(
                items: page.rows.map { SearchItem(item: $0.0.item, snippets: $0.1) }, pagination: Pagination(nextCursor: page.next))
        }
        serve(AskEndpoints.ask) { input, call, state in
            let text = try FakeText.required(input.text, "text", max: 1_000)
            let zone = state.zone(of: call.caller)
            let (from, to) = (try FakeTime.start(input.from, zone), try FakeTime.end(input.to, zone))
            let words = FakeWords(text).significant
            let sources = state.entries(of: call.caller).compactMap { entry -> AskSource? in
                let at = entry.item.date
                guard input.kind == nil || input.kind == entry.item.kind, from.map({ at >= $0 }) ?? true, to.map({ at < $0 }) ?? true
                else { return nil }
                let best = entry.texts.map { ($0.text, words.marks(in: $0.text)) }.max { $0.1.count < $1.1.count }
                guard let best, !best.1.isEmpty else { return nil }
                return AskSource(kind: entry.item.kind, id: entry.id, at: entry.item.at, text: best.0, marks: best.1)
            }.sorted { ($0.marks.count, $0.at) > ($1.marks.count, $1.at) }.prefix(8)
            let lines = sources.map { "\(WireDate.format($0.date, .wholeSeconds)): \($0.text)" }
            return AskResponse(
                answer: lines.isEmpty ? "Nothing was found." : lines.joined(separator: "\n"), confidence: lines.isEmpty ? 0 : 0.5,
                sources: Array(sources), contacts: [], engine: "local")
        }
    }

    mutating func addEvents() {
        serve(LiveEndpoints.poll) { input, call, state in
            let limit = input.limit ?? 100
            guard 1...100 ~= limit else { throw FakeProblem.invalid("limit must be 1 to 100.", "limit") }
            guard 0...25 ~= input.wait ?? 25 else { throw FakeProblem.invalid("wait must be 0 to 25 seconds.", "wait") }
            guard input.since ?? 0 >= 0 else { throw FakeProblem.invalid("since must be 0 or more.", "since") }
            return state.events(of: call.caller, since: input.since, limit: limit)
        }
    }
}

/// An entry of any kind, as the timeline and the search see it.
struct FakeEntry {
    static let kinds = ["capsule", "capture", "event", "file", "memory", "mood"]

    var id: String
    var item: TimelineItem
    var tags: [String] = []
    /// The entry's texts. `field` is the name of a text in the snippets of search results.
    var texts: [(field: String, text: String)]
    var isOnTimeline = true
}

extension FakeState {
    func zone(of user: String) -> String { accounts[user]?.user.timeZone ?? "UTC" }

    func entries(of user: String) -> [FakeEntry] {
        var all: [FakeEntry] = []
        for mood in moods[user] ?? [] {
            all.append(
                FakeEntry(
                    id: mood.id, item: TimelineItem(mood: mood), tags: mood.tags,
                    texts: Self.texts(
                        ("mood", mood.mood), ("note", mood.note), ("reason", mood.reason), ("tags", mood.tags.joined(separator: " ")),
                        ("interests", mood.interests.joined(separator: " ")))))
        }
        for memory in memories[user] ?? [] {
            all.append(
                FakeEntry(
                    id: memory.id, item: TimelineItem(memory: memory), tags: memory.tags,
                    texts: Self.texts(
                        ("title", memory.title), ("description", memory.description), ("location", memory.location),
                        ("tags", memory.tags.joined(separator: " ")))))
        }
        for event in events[user] ?? [] {
            let at = (event.eventDate ?? .distantPast).timeIntervalSince1970 * 1_000
            all.append(
                FakeEntry(
                    id: event.id, item: TimelineItem(event: event, at: Int(at)), tags: event.tags,
                    texts: Self.texts(
                        ("title", event.title), ("description", event.description), ("location", event.location),
                        ("tags", event.tags.joined(separator: " ")))))
        }
        for capsule in capsules[user] ?? [] {
            all.append(
                FakeEntry(
                    id: capsule.id, item: TimelineItem(capsule: capsule), texts: Self.texts(("transcript", capsule.transcription))))
        }
        for file in files[user] ?? [] {
            all.append(
                FakeEntry(
                    id: file.item.fileId, item: TimelineItem(file: file.item), tags: file.item.tags,
                    texts: Self.texts(
                        ("title", file.item.title), ("description", file.item.description), ("name", file.item.name),
                        ("tags", file.item.tags.joined(separator: " "))), isOnTimeline: file.isAlone))
        }
        for capture in captures[user] ?? [] {
            let entry = (try? Surface.captures.makeEncoder().encode(capture)).flatMap {
                try? JSONDecoder().decode(JSONValue.self, from: $0)
            }
            all.append(
                FakeEntry(
                    id: capture.id,
                    item: TimelineItem(
                        kind: "capture", at: Int((capture.timestamp.timeIntervalSince1970 * 1_000).rounded(.down)), entry: entry ?? .null),
                    texts: Self.texts(("transcript", capture.transcription))))
        }
        return all
    }

    private static func texts(_ fields: (String, String?)...) -> [(field: String, text: String)] {
        fields.compactMap { name, text in text.flatMap { $0.isEmpty ? nil : (name, $0) } }
    }
}

/// The words of a query. Accents and case do not matter. The last word may be only the beginning of a word.
struct FakeWords {
    private var words: [String]
    private var lastIsPrefix = true

    init(_ text: String) { words = Self.split(text).map(\.word) }

    var isEmpty: Bool { words.isEmpty }

    /// The words of a question, without short words. Each word also matches longer words that begin with it.
    var significant: FakeWords {
        var copy = self
        copy.words = words.filter { $0.count > 3 }
        copy.lastIsPrefix = false
        return copy
    }

    /// Whether the texts contain all words.
    func match(_ texts: [String]) -> Bool {
        let found = texts.flatMap { Self.split($0).map(\.word) }
        return words.indices.allSatisfy { index in found.contains { fits($0, index) } }
    }

    /// Offset and length, in Unicode scalars, of each word of the text that matches the query.
    func marks(in text: String) -> [[Int]] {
        Self.split(text).filter { found in words.indices.contains { fits(found.word, $0) } }.map { [$0.offset, $0.length] }
    }

    private func fits(_ word: String, _ index: Int) -> Bool {
        lastIsPrefix && index == words.count - 1 ? word.hasPrefix(words[index]) : word == words[index]
    }

    private static func split(_ text: String) -> [(word: String, offset: Int, length: Int)] {
        var (result, word, start): ([(word: String, offset: Int, length: Int)], String.UnicodeScalarView, Int) = ([], .init(), 0)
        func folded() -> String { String(word).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                if word.isEmpty { start = offset }
                word.append(scalar)
            } else if !word.isEmpty {
                result.append((folded(), start, word.count))
                word = .init()
            }
        }
        if !word.isEmpty { result.append((folded(), start, word.count)) }
        return result
    }
}
