import Core
import Database
import Web

/// The file of a feed, which is made in steps. Between two steps it holds what was written since the last `take`, a position, and at most
/// one cove: many clients may have requested the feed of an account with very many coves, and not read it.
struct CalendarFeed: Sendable {
    /// The most events that are read at a time.
    private static let eventCount = 50

    private let store: CalendarStore
    private let account: String
    private let link: CalendarToken
    /// Events before this time are not in the feed.
    private let from: Timestamp
    /// Coves and events that ended before this time are not in the feed.
    private let ended: Timestamp
    private var file = CalendarFile()
    /// The position of the last cove that was begun.
    private var last: TimeKey?
    /// `nil` between two coves.
    private var current: Place?
    private(set) var isComplete = false

    /// - Parameter link: the account's link, which each step checks again.
    init(of account: String, link: CalendarToken, from: Timestamp, ended: Timestamp, _ store: CalendarStore) {
        self.store = store
        self.account = account
        self.link = link
        self.from = from
        self.ended = ended
    }

    /// How many bytes were written since the last `take`.
    var byteCount: Int { file.bytes.count }

    /// Whether the bytes fill a piece of the response. Take the bytes before the next step, which would otherwise add nothing.
    var isFull: Bool { byteCount >= DownloadBody.pieceByteCount }

    /// Returns what was written since the last call.
    mutating func take() -> [UInt8] { file.take() }

    /// Adds events to a copy of the feed, and returns the copy. It stops when the bytes fill a piece of the response, or after a page of
    /// coves, so that a step is short even if no cove has events.
    /// - Throws: `ServeCalendar.missing` when the link was revoked meanwhile: a client may take minutes to read the feed.
    func next() async throws -> CalendarFeed {
        guard try await store.account(of: link) == account else { throw ServeCalendar.missing }
        var feed = self
        try await feed.addEvents()
        guard feed.current == nil else { return feed }
        let coves = try await store.feedCoves(of: account, ended: ended, after: feed.last)
        for cove in coves {
            feed.last = cove.key
            feed.current = Place(cove: cove, list: .open, start: TimeKey(at: from, id: ""))
            try await feed.addEvents()
            guard feed.current == nil else { return feed }
        }
        if coves.count < CalendarStore.feedCoveCount {
            feed.file.end()
            feed.isComplete = true
        }
        return feed
    }

    /// The next events of a cove.
    private struct Place: Sendable {
        enum List: Sendable {
            /// The events that have not ended, by date.
            case open
            /// The events that have ended, in the order in which they ended.
            case ended
        }

        let cove: CalendarStore.FeedCove
        var list: List
        /// The position after which the next page begins. The id of the first position is empty, and no event's id is, so events at exactly
        /// its time follow.
        var start: TimeKey
        var limit = CalendarFeed.eventCount
    }

    /// Adds events of the current cove until the bytes fill a piece, or the cove has no more.
    private mutating func addEvents() async throws {
        while let place = current, !isFull {
            let events = try await store.feedEvents(page(place))
            var count = 0
            while count < events.count, !isFull {
                file.add(events[count], ofCove: place.cove.name, isCancelled: place.list == .ended || place.cove.endedAt != nil)
                count += 1
            }
            current = following(place, added: events.prefix(count), of: events.count)
        }
    }

    private func page(_ place: Place) -> SQL {
        let cove = place.cove.id
        return switch place.list {
        case .open: CalendarStore.feedEvents(of: cove, for: account, after: place.start, limit: place.limit)
        case .ended: CalendarStore.feedCancellations(of: cove, for: account, from: from, after: place.start, limit: place.limit)
        }
    }

    /// - Returns: `nil` after the cove's last event.
    private func following(_ place: Place, added: ArraySlice<CalendarStore.FeedEvent>, of readCount: Int) -> Place? {
        if let last = added.last, added.count < readCount || readCount == place.limit {
            var following = place
            following.start = last.key
            // If long events fill a piece before the end of their page, the rest of the page was read in vain, and the next page is
            // shorter.
            following.limit = added.count < readCount ? added.count : min(place.limit * 2, Self.eventCount)
            return following
        }
        return place.list == .open ? Place(cove: place.cove, list: .ended, start: TimeKey(at: ended, id: "")) : nil
    }
}
