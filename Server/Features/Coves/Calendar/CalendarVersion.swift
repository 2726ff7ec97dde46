import Core
import Crypto

/// The version of a feed. It depends on everything that the content of the feed depends on. A change while the content is sent changes the
/// version of the next request.
struct CalendarVersion {
    private var hash = SHA256()

    init(of account: String, on today: Timestamp) {
        // "1" stands for the form of the file. Change it together with the code that writes the file.
        for text in ["1", account, String(today.seconds)] { add(text) }
    }

    /// Add the coves in the order of the feed.
    mutating func add(_ cove: CalendarStore.FeedCove) {
        let ended = cove.endedAt.map { String($0.microseconds) } ?? ""
        for text in [cove.id, cove.name, ended, String(cove.version)] { add(text) }
    }

    var text: String { Hex.encode(hash.finalize()) }

    private mutating func add(_ text: String) { hash.update(data: Array("\(text.utf8.count) \(text)".utf8)) }
}
