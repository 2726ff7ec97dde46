import Core
import KeepsakeWire
import NIOCore
import Web

/// `GET /calendar.ics`: the events of the account's coves as a calendar (RFC 5545), which is made while it is sent. While a client reads,
/// the server holds one piece of the file and one cove, however many coves and events there are, and however long the events are.
struct ServeCalendar: Sendable {
    let store: CalendarStore
    let clock: WallClock

    /// How far the feed goes back.
    private static let past = Duration.days(365)
    static let missing = Problem(.notFound, "There is no such calendar. Its link may have been deleted.")

    func handle(_ input: CalendarFeedInput, _ context: WebContext) async throws -> Download {
        // The times are whole days, so that the content changes with the clock only once a day.
        let today = Timestamp(daysSince1970: clock.now.daysSince1970)
        let ended = today - EventRules.kept
        guard let token = CalendarToken(input.token), let found = try await store.feed(token, on: today, ended: ended) else {
            throw Self.missing
        }
        let account = found.account
        return Download(contentType: "text/calendar; charset=utf-8", fileName: "calendar.ics", version: found.version) { body in
            var feed = CalendarFeed(of: account, link: token, from: today - Self.past, ended: ended, store)
            while !feed.isComplete {
                try Task.checkCancellation()
                feed = try await body.making { [feed] in try await feed.next() }
                if feed.isComplete || feed.isFull { try await body.write(ByteBuffer(bytes: feed.take())) }
            }
        }
    }
}
