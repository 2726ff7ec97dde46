import Database
import Web

/// How many rows one page may read when no index covers all filters of a list.
///
/// A file's row has its labels and its type, so a page reads whole rows and keeps those that match. Without a bound, a page of a rare
/// combination would read every row of a common label.
struct WalkBounds: Sendable {
    /// The most rows that one statement reads, 1 or more.
    var batchRowCount = 200
    /// The most rows that one page reads, 1 or more.
    var rowCount = 2_000
    /// A page that reads more rows than this waits for a turn, because reading and checking them takes a thread several milliseconds.
    var rowCountWithoutTurn = 400
}

extension MediaStore {
    /// A page of a list for which no index holds all labels, the type and the order; see `MediaSelection.walked`. It may have fewer files
    /// than `request.limit`, or none, and still have a `next`: then the page has read as many rows as `WalkBounds` allows, and the next
    /// page continues after the last row read.
    /// - Parameters:
    ///   - walked: a list that an index covers, in the order of `selection`. The page reads the rows of this list.
    ///   - waitForTurn: called at most once, before the page reads more than `WalkBounds.rowCountWithoutTurn` rows. The page then begins
    ///     again.
    func walk(
        owner: String, _ selection: MediaSelection, along walked: MediaSelection, _ request: PageRequest<TimeKey>, _ bounds: WalkBounds,
        waitForTurn: () async throws -> Void
    ) async throws -> Page<Asset, TimeKey> {
        var found: [Asset] = []
        var after = request.after
        var left = bounds.rowCount
        var hasTurn = false
        while left > 0, found.count < request.limit {
            if !hasTurn, bounds.rowCount - left >= bounds.rowCountWithoutTurn {
                // Drop the rows and begin again. Otherwise requests that wait for their turn would keep them in memory.
                (found, after, left, hasTurn) = ([], request.after, bounds.rowCount, true)
                try await waitForTurn()
            }
            let count = min(bounds.batchRowCount, left)
            let statement = Self.listStatement(owner: owner, walked, after: after, limit: count)
            let read = try await database.list(statement, Asset.init)
            for asset in read where selection.matches(asset) {
                // This file is one more than the page holds, so the next page begins with it.
                guard found.count < request.limit else {
                    return Self.page(found, next: found.last.map(selection.key), limit: request.limit, key: selection.key)
                }
                found.append(asset)
            }
            guard read.count == count, let last = read.last else {
                return Self.page(found, next: nil, limit: request.limit, key: selection.key)
            }
            after = selection.key(last)
            left -= read.count
        }
        return Self.page(found, next: after, limit: request.limit, key: selection.key)
    }

    /// - Parameter next: the start of the next page if this page holds all files of `found`. If their texts are too long together, the page
    ///   ends earlier, and the next one begins after its last file.
    private static func page(_ found: [Asset], next: TimeKey?, limit: Int, key: (Asset) -> TimeKey) -> Page<Asset, TimeKey> {
        let page = Page(inBytes: found, limit: limit, byteCount: \.textByteCount, key: key)
        return page.rows.count < found.count ? page : Page(rows: found, next: next)
    }
}
