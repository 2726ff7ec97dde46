internal import Core
internal import Database
internal import Live

extension LiveSuite {
    /// Every statement that searches for rows.
    private static let statements: [(name: String, sql: SQL)] = [
        ("headOf", EventLog.headOf("a")),
        ("headsOf", EventLog.headsOf((0..<500).map { "a\($0)" })),
        ("page", EventLog.page("a", after: 7, count: 100)),
        ("oldestOf", EventLog.oldestOf("a")),
        ("expired", EventLog.expired(before: Timestamp(seconds: 1), after: (Timestamp(seconds: 0), "a", 1), count: 200)),
        ("long", EventLog.long(after: "a", kept: 10_000, count: 500)),
        ("prune", EventLog.prune("a", through: 7)),
        ("eraseHead", EventLog.eraseHead("a")),
        ("eraseEvents", EventLog.eraseEvents("a")),
    ]

    static let plans: [Check] = [
        Check("Every statement finds its rows by an index and needs no sort") { nodes in
            for (name, sql) in statements {
                let plan = try await QueryPlan(sql, on: nodes.database)
                try expect(plan.faults.isEmpty, "\(name): \(plan)")
            }
            // Control: a full table scan must be reported as a fault.
            let whole = try await QueryPlan("SELECT seq FROM event WHERE kind = 'x'", on: nodes.database)
            try expect(!whole.faults.isEmpty, "a whole table was read: \(whole)")
        }
    ]
}
