package import Database

extension CapturesFeature {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "capture", owner: .column("owner"), order: ["at", "id"],
                columns: [
                    .plain("id"), .time("at"), .plain("zone"), .plain("day"), .plain("hour"), .time("hour_start"), .plain("status"),
                    .plain("photo_media"), .plain("photo_url"), .plain("audio_media"), .plain("audio_url"), .plain("transcription"),
                    .plain("transcription_engine"), .json("analysis"), .plain("error"), .plain("version"), .time("created_at"),
                    .plain("row_bytes"), .withheld("sent"), .withheld("owner"),
                ],
                ending: .batches),
            PersonalTable(
                "capture_file", owner: .column("owner"), order: ["capture", "kind"],
                columns: [.plain("capture"), .plain("kind"), .plain("media"), .plain("type"), .withheld("owner")],
                ending: .cascade(from: "media")),
            PersonalTable(
                "capture_tombstone", owner: .column("owner"), order: ["hash"],
                columns: [.time("expires_at"), .withheld("hash"), .withheld("owner")], ending: .batches),
            PersonalTable(
                "contact", owner: .column("owner"), order: ["id"],
                columns: [
                    .plain("id"), .plain("name"), .plain("relationship"), .plain("notes"), .plain("face_capture"), .time("first_seen"),
                    .time("last_seen"), .plain("mention_count"), .flag("by_user"), .plain("merged_into"), .plain("row_bytes"),
                    .withheld("owner"),
                ],
                ending: .batches),
            PersonalTable(
                "contact_name", owner: .column("owner"), order: ["name"],
                columns: [.plain("contact"), .withheld("name"), .withheld("given_at"), .withheld("owner")], ending: .batches),
            PersonalTable(
                "contact_pin", owner: .column("owner"), order: ["capture", "name"],
                columns: [.plain("capture"), .plain("contact"), .withheld("name"), .withheld("owner")],
                ending: .cascade(from: "capture")),
            PersonalTable(
                "contact_mention", owner: .column("owner"), order: ["capture", "contact"],
                columns: [.plain("capture"), .plain("contact"), .time("at"), .withheld("owner")], ending: .cascade(from: "capture")),
            PersonalTable(
                "capture_hour", owner: .column("owner"), order: ["day", "start", "hour"],
                columns: [
                    .plain("day"), .time("start"), .plain("hour"), .plain("zone"), .json("content"), .time("condensed_at"),
                    .plain("row_bytes"), .withheld("changed"), .withheld("condensed"), .withheld("is_scheduled"), .withheld("owner"),
                ],
                ending: .batches),
            PersonalTable(
                "capture_day", owner: .column("owner"), order: ["day"],
                columns: [
                    .plain("day"), .plain("zone"), .json("content"), .time("condensed_at"), .plain("row_bytes"), .withheld("changed"),
                    .withheld("condensed"), .withheld("is_scheduled"), .withheld("owner"),
                ],
                ending: .batches),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
