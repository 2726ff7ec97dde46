extension Condensation {
    /// Reads the captures of an hour or a day in parts, so that they need not be in memory together: once to count themes and people, and
    /// once more to choose the highlights by them.
    package struct Draft: Sendable {
        package private(set) var captureCount = 0
        /// The counted captures that are being analysed.
        package private(set) var pendingCount = 0
        /// The ids of the first pending captures, at most `pendingLimit`.
        package private(set) var pending: [String] = []
        /// Limits how many ids of pending captures a summary stores, because each correction and deletion writes them again.
        package static let pendingLimit = 200
        /// Number of captures with a picture, without the pending ones.
        package private(set) var pictureCount = 0
        private var themeCounts = Counts()
        private var peopleCounts = Counts()
        private let limit: Int
        /// The themes and people that most captures share.
        private var wanted: Set<String>?
        /// At most `limit`, in the order of time.
        private var chosen: [(highlight: Highlight, score: Int)] = []
        /// Hashes of the sentences that were considered. If two sentences have the same hash, one of them is left out.
        private var seen: Set<Int> = []

        /// - Parameter limit: the most highlights to choose.
        package init(limit: Int) { self.limit = max(1, limit) }

        /// Counts the captures, their themes and their people. This is the first pass.
        /// - Parameter captures: the next ones in the order of time.
        package mutating func count(_ captures: [Capture]) {
            captureCount += captures.count
            let waiting = captures.filter(\.isPending)
            pendingCount += waiting.count
            pending += waiting.prefix(max(0, Self.pendingLimit - pending.count)).map(\.id)
            for capture in captures where !capture.isPending {
                if capture.hasPicture { pictureCount += 1 }
                themeCounts.add(capture.analysis?.themes ?? [])
                peopleCounts.add(capture.analysis?.mentionedNames ?? [])
            }
        }

        /// Chooses the highlights. This is the second pass, after all captures have been counted.
        /// - Parameter captures: the next ones in the order of time.
        package mutating func choose(_ captures: [Capture]) {
            let wanted = wanted ?? Set(themes.prefix(4) + people.prefix(4))
            self.wanted = wanted
            for capture in captures where !capture.isPending {
                guard let text = capture.analysis?.keyMoment else { continue }
                let hash = text.lowercased().hashValue
                guard !seen.contains(hash), Self.stands(text, in: capture) else { continue }
                seen.insert(hash)
                let found = Set((capture.analysis?.themes ?? []) + (capture.analysis?.mentionedNames ?? []))
                chosen.append((Highlight(at: capture.at, text: text, capture: capture.id), found.intersection(wanted).count))
                guard chosen.count > limit else { continue }
                // The highlights that share the most themes and people with the rest stay; of equals, the earlier one.
                let worst = chosen.indices.min { (chosen[$0].score, $1) < (chosen[$1].score, $0) }
                if let worst { chosen.remove(at: worst) }
            }
        }

        /// At most 8, the most frequent first.
        var themes: [String] { themeCounts.ranked(8) }
        /// At most 20, the most frequent first.
        var people: [String] { peopleCounts.ranked(20) }
        var highlights: [Highlight] { chosen.map(\.highlight) }

        /// Whether the capture contains the sentence. A model may have changed it, and a summary only quotes.
        private static func stands(_ sentence: String, in capture: Capture) -> Bool {
            Grounding.stands(sentence, in: [capture.transcription, capture.analysis?.imageText].compactMap { $0 })
        }
    }

    /// How many captures have each text; spellings that differ only in case are one.
    private struct Counts {
        private var counts: [String: (count: Int, order: Int, text: String)] = [:]
        /// Maximum number of different texts. Further ones are not counted: if an hour has so many, frequent ones are among them.
        private static let limit = 10_000

        mutating func add(_ texts: [String]) {
            var seen: Set<String> = []
            for text in texts where seen.insert(text.lowercased()).inserted {
                let order = counts.count
                guard order < Self.limit || counts[text.lowercased()] != nil else { continue }
                counts[text.lowercased(), default: (0, order, text)].count += 1
            }
        }

        /// The most frequent first; of equals, the one that came first.
        func ranked(_ limit: Int) -> [String] {
            counts.values.sorted { ($1.count, $0.order) < ($0.count, $1.order) }.prefix(limit).map(\.text)
        }
    }
}
