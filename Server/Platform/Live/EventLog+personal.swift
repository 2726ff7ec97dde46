package import Database

extension EventLog: TableOwner {
    /// The events after a backup are lost, so those before it must not be sent as if nothing were missing; see `raise`.
    package static var unrestoredTables: [String] { ["event"] }

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
