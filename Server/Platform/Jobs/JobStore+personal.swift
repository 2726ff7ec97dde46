package import Database

extension JobStore: TableOwner {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "job", owner: .column("owner"), order: ["id"],
                columns: [
                    .plain("id"), .plain("kind"), .json("payload"), .plain("state"), .time("run_at"), .time("created_at"), .withheld("key"),
                    .withheld("owner"), .withheld("turn_key"), .withheld("attempt"), .withheld("tries"), .withheld("lost"),
                    .withheld("lease_until"), .withheld("worker"), .withheld("error"),
                ],
                ending: .statement)
        ]
    }
}
