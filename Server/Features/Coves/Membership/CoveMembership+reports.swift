package import Database
package import People

extension CoveMembership {
    package func reported(
        coves: [String], events: [String], _ tx: ReadTransaction
    ) throws -> (coves: [String: ReportedThing], events: [String: ReportedThing]) {
        (try things(Self.reportedCoves, coves, tx), try things(Self.reportedEvents, events, tx))
    }

    private func things(_ statement: ([String]) -> SQL, _ ids: [String], _ tx: ReadTransaction) throws -> [String: ReportedThing] {
        guard !ids.isEmpty else { return [:] }
        let found: [(String, ReportedThing)] = try tx.list(statement(ids)) { row in
            let id: String = try row.next("id")
            let name: String = try row.next("name")
            return (id, ReportedThing(name: name, account: try row.next("account")))
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    // MARK: Statements. The operator also sees what has ended.

    static func reportedCoves(_ ids: [String]) -> SQL { "SELECT id, name, creator AS account FROM cove WHERE id IN (\(sql: .list(ids)))" }

    static func reportedEvents(_ ids: [String]) -> SQL {
        "SELECT id, name, host AS account FROM cove_event WHERE id IN (\(sql: .list(ids)))"
    }
}
