/// The sums over a whole table, read in pages. A call of `advance` reads up to `pagesPerCall` pages, each with its own statement, and the
/// next call continues from there. So no query takes long and no call reads much, no matter how large the table is. For a table of a
/// million rows, the sums are some minutes old.
actor TableTotals {
    struct Sum: Sendable, Equatable {
        var rowCount = 0
        var byteCount: Int64 = 0
    }

    struct Row: Sendable {
        let key: [String]
        let kind: String
        let byteCount: Int64
    }

    private static let pagesPerCall = 20
    private let pageSize: Int
    private let page: @Sendable (_ after: [String], _ limit: Int) async throws -> [Row]
    private var last: [String] = []
    private var running: [String: Sum] = [:]

    /// - Parameter page: reads up to `limit` rows after a key. With an empty key, it reads the first rows.
    init(pageSize: Int = 2_000, _ page: @escaping @Sendable (_ after: [String], _ limit: Int) async throws -> [Row]) {
        self.pageSize = pageSize
        self.page = page
    }

    /// Reads the next pages.
    /// - Returns: the sums by kind, if this call reached the end of the table; the next call then starts from the beginning. Otherwise
    ///   `nil`.
    func advance() async throws -> [String: Sum]? {
        for _ in 0..<Self.pagesPerCall {
            let rows = try await page(last, pageSize)
            for row in rows {
                running[row.kind, default: Sum()].rowCount += 1
                running[row.kind, default: Sum()].byteCount += row.byteCount
            }
            guard rows.count == pageSize, let end = rows.last else {
                defer { (last, running) = ([], [:]) }
                return running
            }
            last = end.key
        }
        return nil
    }
}
