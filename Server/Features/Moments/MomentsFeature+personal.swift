package import Database

extension MomentsFeature {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "moment", owner: .column("owner"), order: ["happened_at", "id"],
                columns: [
                    .plain("id"), .plain("kind"), .time("created_at"), .time("happened_at"), .plain("category"), .plain("group_id"),
                    .json("tags"), .plain("mood"), .plain("title"), .plain("note"), .plain("reason"), .json("interests"),
                    .plain("intensity"), .plain("location"), .plain("voice_ms"), .json("pictures"), .plain("voice"), .json("files"),
                    .plain("row_bytes"), .withheld("owner"),
                ],
                ending: .batches),
            PersonalTable(
                "moment_tag", owner: .column("owner"), order: ["kind", "tag", "created_at", "moment"],
                columns: [
                    .plain("moment"), .plain("kind"), .plain("tag"), .plain("category"), .plain("group_id"), .time("created_at"),
                    .time("happened_at"), .withheld("owner"),
                ],
                ending: .cascade(from: "moment")),
            PersonalTable(
                "moment_file", owner: .column("owner"), order: ["moment", "position"],
                columns: [.plain("moment"), .plain("position"), .plain("role"), .plain("media"), .withheld("owner")],
                ending: .cascade(from: "moment")),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
