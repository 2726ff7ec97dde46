package import Database

extension EventLog: TableOwner {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "event", owner: .column("account"), order: ["seq"],
                columns: [.plain("seq"), .time("at"), .plain("kind"), .json("payload"), .withheld("account")], ending: .statement),
            PersonalTable(
                "event_head", owner: .column("account"), order: ["account"],
                columns: [.plain("seq"), .time("at"), .withheld("account")], ending: .statement),
        ]
    }
}
