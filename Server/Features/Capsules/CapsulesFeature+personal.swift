package import Database

extension CapsulesFeature {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "capsule", owner: .column("owner"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("status"), .plain("duration_us"), .plain("byte_count"), .time("created_at"), .time("updated_at"),
                    .plain("media"), .plain("sha256"), .bytes("waveform"), .plain("language"), .plain("engine"), .plain("summary"),
                    .json("topics"), .plain("failure"), .plain("row_bytes"), .withheld("transcript_size"), .withheld("owner"),
                ],
                ending: .batches),
            PersonalTable(
                "capsule_transcript", owner: .column("owner"), order: ["capsule"],
                columns: [.plain("capsule"), .plain("text"), .json("words"), .withheld("owner")], ending: .cascade(from: "capsule")),
            PersonalTable(
                "capsule_segment", owner: .column("owner"), order: ["capsule", "starts_ms"],
                columns: [
                    .plain("capsule"), .plain("starts_ms"), .plain("ends_ms"), .plain("engine"), .plain("language"), .plain("text"),
                    .json("words"), .withheld("owner"),
                ],
                ending: .cascade(from: "capsule")),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
