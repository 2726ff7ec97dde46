/// The sums of a whole table, read in pages. A call reads at most `pagesPerCall` pages, each in a statement of its own, and the next call
/// continues from there. So no query takes long and no call reads much, however large the table is; the sums of a table of a million rows
/// are some minutes old.
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

    /// - Parameter page: reads the rows after a key, at most `limit`; with an empty key the first ones.
    init(pageSize: Int = 2_000, _ page: @escaping @Sendable (_ after: [String], _ limit: Int) async throws -> [Row]) {
        self.pageSize = pageSize
        self.page = page
    }

    /// Reads the next pages.
    /// - Returns: the sums by kind, when this call reached the end of the table; the next one starts from the beginning.
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
