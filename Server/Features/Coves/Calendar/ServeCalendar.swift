import Core
import Crypto
import Database
import KeepsakeWire
import NIOCore
import Web

/// `GET /calendar.ics`: the events of the account's coves as a calendar (RFC 5545), which is made while it is sent. While a client reads, the
/// server holds one piece of the file and no events, however many and however long they are.
struct ServeCalendar: Sendable {
    let store: CalendarStore
    let clock: WallClock

    /// Events that are read at a time, at most.
    private static let pageCount = 50
    /// The feed begins this long ago.
    private static let past = Duration.days(365)
    private static let day = Duration.days(1)

    func handle(_ input: CalendarFeedInput, _ context: WebContext) async throws -> Download {
        // Whole days, so that the content changes with the clock once a day only.
        let today = Timestamp(daysSince1970: clock.now.daysSince1970)
        let ended = today - EventRules.kept
        guard let token = CalendarToken(input.token), let feed = try await store.feed(token, ended: ended) else {
            throw Problem(.notFound, "There is no such calendar. Its link may have been deleted.")
        }
        let version = Self.version(feed.account, feed.coves, today)
        return Download(contentType: "text/calendar; charset=utf-8", fileName: "calendar.ics", version: version) { body in
            var file = CalendarFile()
            for cove in feed.coves {
                try await send(cove, of: feed.account, from: today - Self.past, ended: ended, &file, body)
            }
            file.end()
            try await body.write(ByteBuffer(bytes: file.take()))
        }
    }

    private func send(
        _ cove: CalendarStore.FeedCove, of account: String, from: Timestamp, ended: Timestamp, _ file: inout CalendarFile,
        _ body: DownloadBody
    ) async throws {
        // No id is empty, so events at exactly this time follow.
        try await send(cove, isCancelled: cove.endedAt != nil, after: TimeKey(at: from, id: ""), &file, body) { start, limit in
            CalendarStore.feedEvents(of: cove.id, for: account, after: start, limit: limit)
        }
        try await send(cove, isCancelled: true, after: TimeKey(at: ended, id: ""), &file, body) { start, limit in
            CalendarStore.feedCancellations(of: cove.id, for: account, from: from, after: start, limit: limit)
        }
    }

    private func send(
        _ cove: CalendarStore.FeedCove, isCancelled: Bool, after start: TimeKey, _ file: inout CalendarFile, _ body: DownloadBody,
        _ page: (TimeKey, _ limit: Int) -> SQL
    ) async throws {
        var (start, limit) = (start, Self.pageCount)
        while true {
            try Task.checkCancellation()
            let (statement, written) = (page(start, limit), file)
            let added: Added
            (added, file) = try await body.making {
                var file = written
                let events = try await store.feedEvents(statement)
                var count = 0
                while count < events.count, count == 0 || file.bytes.count < DownloadBody.pieceByteCount {
                    file.add(events[count], ofCove: cove.name, isCancelled: isCancelled)
                    count += 1
                }
                return (Added(count: count, readCount: events.count, last: count > 0 ? events[count - 1].key : nil), file)
            }
            if file.bytes.count >= DownloadBody.pieceByteCount { try await body.write(ByteBuffer(bytes: file.take())) }
            guard let last = added.last, added.count < added.readCount || added.readCount == limit else { return }
            start = last
            // Long events fill a piece before the end of their page; the rest of the page was read in vain.
            limit = added.count < added.readCount ? added.count : min(limit * 2, Self.pageCount)
        }
    }

    /// What a page of events added to the file.
    private struct Added {
        let count: Int
        let readCount: Int
        /// The position of the last event that was added.
        let last: TimeKey?
    }

    /// Depends on everything that the content depends on. A change while the content is sent changes the version of the next request.
    private static func version(_ account: String, _ coves: [CalendarStore.FeedCove], _ today: Timestamp) -> String {
        var hash = SHA256()
        // 1: the form of the file, to be changed with the code that writes it.
        for text in ["1", account, String(today.seconds)]
            + coves.flatMap({ cove in
                [cove.id, cove.name, cove.endedAt.map { String($0.microseconds) } ?? "", String(cove.version)]
            })
        {
            hash.update(data: Array("\(text.utf8.count) \(text)".utf8))
        }
        return Hex.encode(hash.finalize())
    }
}
