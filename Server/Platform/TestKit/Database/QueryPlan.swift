package import Database

/// A statement's query plan on either engine. A good plan finds every row by an index and needs no sort.
package struct QueryPlan: Sendable, CustomStringConvertible {
    /// The engine's own text, in order.
    package let steps: [String]

    package init(_ sql: SQL, on database: any Database) async throws { steps = try await database.plan(sql) }

    package var description: String { steps.joined(separator: "\n") }

    package var faults: [String] { faults(mayWalk: false) }

    /// The plan's faults: full scans of tables or indexes, and sorts. Empty when there is none.
    /// - Parameters:
    ///   - mayWalk: allows reading an index from its start, because the statement stops early or the table is tiny.
    ///   - mayMerge: allows merging several lists, each with an order and a limit. SQLite sorts their rows to merge them; PostgreSQL may
    ///     append the lists and sort.
    package func faults(mayWalk: Bool = false, mayMerge: Bool = false) -> [String] {
        var faults: [String] = []
        for (number, step) in steps.enumerated() {
            let words = step.trimmingPrefix { " ->".contains($0) }
            // The steps of the merged lists themselves are judged like all others.
            if mayMerge, words.hasPrefix("Sort Key") || words == "USE TEMP B-TREE FOR ORDER BY" { continue }
            if mayMerge, words == "Sort", steps.dropFirst(number + 2).first?.hasSuffix("->  Append") == true { continue }
            if mayMerge, words.hasPrefix("SCAN "), steps.contains("CO-ROUTINE " + words.dropFirst(5)) { continue }
            if words.hasPrefix("SCAN"), !(mayWalk && words.contains("INDEX")), words != "SCAN CONSTANT ROW",
                !words.contains("VIRTUAL TABLE")
            {
                faults.append(step)
            }
            if words.contains("TEMP B-TREE") { faults.append(step) }
            if words.hasPrefix("Seq Scan") || words.hasPrefix("Sort") || words.hasPrefix("Incremental Sort") { faults.append(step) }
            // PostgreSQL reads a whole index if the step has no index condition.
            if !mayWalk, words.hasPrefix("Index"), words.contains("Scan"), !words.hasPrefix("Index Cond") {
                let depth = step.prefix { " ->".contains($0) }.count
                let own = steps[(number + 1)...].prefix { $0.prefix { " ->".contains($0) }.count > depth }
                if !own.contains(where: { $0.contains("Index Cond") }) { faults.append(step) }
            }
        }
        return faults
    }

    package func uses(_ index: String) -> Bool { steps.contains { $0.contains(index) } }

    /// Whether it reads all rows of an owner. A statement that names the rows' keys must not, however many keys there are.
    package var readsAllOfOwner: Bool { uses("(owner=?)") || uses("Index Cond: (owner = ") }
}
