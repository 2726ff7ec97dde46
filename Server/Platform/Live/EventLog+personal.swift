package import Database

extension EventLog: TableOwner {
    /// Events are not restored from a backup, because the backup lacks the events that were written after it was made. If the server sent
    /// the earlier events, a client would not notice the gap; see `raise`.
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
