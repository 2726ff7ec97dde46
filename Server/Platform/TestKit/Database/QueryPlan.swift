package import Database

/// How an engine would run a statement, judged for both: every row must be found by an index, in the order it is wanted in.
package struct QueryPlan: Sendable, CustomStringConvertible {
    /// As the engine worded them, in order.
    package let steps: [String]

    package init(_ sql: SQL, on database: any Database) async throws { steps = try await database.plan(sql) }

    package var description: String { steps.joined(separator: "\n") }

    package var faults: [String] { faults(mayWalk: false) }

    /// What is wrong with it: whole tables or whole indexes read, or a sort. Empty when there is nothing.
    /// - Parameter mayWalk: an index may be read from its start, because the statement stops early or the table is tiny.
    package func faults(mayWalk: Bool) -> [String] {
        var faults: [String] = []
        for (number, step) in steps.enumerated() {
            let words = step.trimmingPrefix { " ->".contains($0) }
            if words.hasPrefix("SCAN"), !(mayWalk && words.contains("INDEX")), words != "SCAN CONSTANT ROW",
                !words.contains("VIRTUAL TABLE")
            {
                faults.append(step)
            }
            if words.contains("TEMP B-TREE") { faults.append(step) }
            if words.hasPrefix("Seq Scan") || words.hasPrefix("Sort") || words.hasPrefix("Incremental Sort") { faults.append(step) }
            // PostgreSQL: an index read from one end to the other.
            if !mayWalk, words.hasPrefix("Index"), words.contains("Scan"), !words.hasPrefix("Index Cond") {
                let depth = step.prefix { " ->".contains($0) }.count
                let own = steps[(number + 1)...].prefix { $0.prefix { " ->".contains($0) }.count > depth }
                if !own.contains(where: { $0.contains("Index Cond") }) { faults.append(step) }
            }
        }
        return faults
    }

    package func uses(_ index: String) -> Bool { steps.contains { $0.contains(index) } }
}
