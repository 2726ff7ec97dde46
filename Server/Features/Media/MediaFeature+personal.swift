package import Database
package import FeatureKit

extension MediaFeature {
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "media", owner: .column("owner"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("name"), .plain("type"), .plain("sha256"), .plain("byte_count"), .plain("category"),
                    .plain("title"), .plain("description"), .json("tags"), .plain("group_id"), .time("created_at"), .plain("width"),
                    .plain("height"), .plain("duration_ms"), .time("taken_at"), .bytes("peaks"), .plain("row_bytes"),
                    .plain("has_position"), .time("timeline_at"), .plain("playback"), .withheld("owner"), .withheld("blob"),
                ],
                ending: .batches),
            PersonalTable(
                "media_tag", owner: .column("owner"), order: ["tag", "created_at", "media"],
                columns: [
                    .plain("media"), .plain("tag"), .plain("category"), .plain("group_id"), .time("created_at"), .time("timeline_at"),
                    .plain("type"), .time("taken_at"), .withheld("owner"),
                ],
                ending: .cascade(from: "media")),
            PersonalTable(
                "profile_picture", owner: .column("account"), order: ["account"], columns: [.plain("media"), .withheld("account")],
                ending: .cascade(from: "media")),
            PersonalTable(
                "media_usage", owner: .column("account"), order: ["account"],
                columns: [
                    .plain("byte_count"), .plain("file_count"), .plain("row_bytes"), .plain("reserved_bytes"), .plain("quota_bytes"),
                    .withheld("account"),
                ], ending: .statement),
            PersonalTable(
                "upload_reservation", owner: .column("owner"), order: ["id"],
                columns: [.plain("byte_count"), .time("expires_at"), .withheld("id"), .withheld("owner")], ending: .statement),
            PersonalTable(
                "media_archive", owner: .column("owner"), order: ["id"],
                columns: [
                    .plain("id"), .json("files"), .time("expires_at"), .withheld("owner"), .withheld("session"), .withheld("identity"),
                ], ending: .statement),
            PersonalTable(
                "media_variant", owner: .row("parent", of: "blob", key: "key", owner: "owner"), order: ["parent", "spec"],
                columns: [
                    .plain("spec"), .plain("type"), .plain("sha256"), .plain("byte_count"), .time("created_at"), .withheld("parent"),
                    .withheld("blob"),
                ],
                ending: .statement),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }

    package func endErasing(_ account: String, _ tx: WriteTransaction) throws { try store.endErasing(of: account, tx) }

    package func originals(
        of account: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction
    ) throws -> [OriginalFile] {
        try store.originals(of: account, after: last, limit: limit, tx)
    }
}
