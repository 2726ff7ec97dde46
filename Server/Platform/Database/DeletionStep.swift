/// The bounds of one write that deletes rows. On SQLite all other writes wait for it, and how long it takes depends on the bytes of its rows
/// more than on their number. So a deletion of many rows is a series of short writes.
package enum DeletionStep {
    /// The most bytes that the rows of one step count against their owner's quota. This is as much as 256 KB of searchable texts, whose
    /// bytes count eight times.
    package static let byteCount: Int64 = 2 << 20

    /// How many rows are read first, to find out whether they fill the step.
    static let firstRowCount = 8

    /// - Parameters:
    ///   - rowBytes: the bytes that each row counts against the quota, in the order of the deletion; `nil` for a row that does not count
    ///     and may have any length.
    ///   - byteCount: the most bytes of one step.
    /// - Returns: how many of the rows one step deletes: those that fit, and at least one if there is any.
    package static func rowCount(_ rowBytes: some Sequence<Int64?>, byteCount: Int64 = DeletionStep.byteCount) -> Int {
        var (count, total): (Int, Int64) = (0, 0)
        for bytes in rowBytes {
            total += min(bytes ?? byteCount, byteCount)
            guard count == 0 || total <= byteCount else { break }
            count += 1
        }
        return count
    }
}

extension ReadTransaction {
    /// The rows that one step of a deletion removes: the first ones that fit, and at least one if there is any.
    /// - Parameters:
    ///   - limit: maximum number of rows, 1 or more.
    ///   - byteCount: the most bytes that the rows count in total.
    ///   - rows: a SELECT of the columns that `element` reads and then of `row_bytes`, in the order of the deletion, of at most `limit` rows.
    ///     `row_bytes` is NULL for a row that does not count against the quota; here, such a row counts `byteCount`.
    package func deletionStep<Element>(
        limit: Int, byteCount: Int64 = DeletionStep.byteCount, _ rows: (_ limit: Int) -> SQL,
        element: (inout RowReader) throws -> Element
    ) throws -> [Element] {
        let few = min(limit, DeletionStep.firstRowCount)
        // The first rows are read separately: to read a column behind a long text, SQLite reads all pages of the text. If these rows fill
        // the step, the others are not read.
        let first = try deletedRows(rows(few), byteCount, element)
        return first.count == few && few < limit ? try deletedRows(rows(limit), byteCount, element) : first
    }

    /// Like the other `deletionStep`, for a table with the key `id`.
    /// - Parameter rows: a SELECT of `id` and `row_bytes`.
    package func deletionStep(
        limit: Int, byteCount: Int64 = DeletionStep.byteCount, _ rows: (_ limit: Int) -> SQL
    ) throws -> [String] {
        try deletionStep(limit: limit, byteCount: byteCount, rows) { try $0.next("id") }
    }

    private func deletedRows<Element>(
        _ rows: SQL, _ byteCount: Int64, _ element: (inout RowReader) throws -> Element
    ) throws -> [Element] {
        let found = try list(rows) { (row: inout RowReader) -> (element: Element, rowBytes: Int64?) in
            (element: try element(&row), rowBytes: try row.next("row_bytes"))
        }
        return found.prefix(DeletionStep.rowCount(found.map { $0.rowBytes }, byteCount: byteCount)).map { $0.element }
    }
}
