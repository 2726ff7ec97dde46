package import Database
import FeatureKit

extension ChatFeature {
    package static var personalTables: [PersonalTable] {
        ChatFiles.personalTables + [
            PersonalTable(
                "chat_conversation", owner: .column("owner"), order: ["id"],
                columns: [
                    .plain("id"), .plain("title"), .flag("is_renamed"), .plain("endpoint"), .time("created_at"), .time("updated_at"),
                    .time("deleted_at"), .plain("row_bytes"), .withheld("owner"), .withheld("last_position"),
                ],
                ending: .batches),
            PersonalTable(
                "chat_message", owner: .column("owner"), order: ["conversation", "position"],
                columns: [
                    .plain("conversation"), .plain("position"), .plain("id"), .plain("parent"), .plain("question"), .plain("text"),
                    .plain("endpoint"), .plain("provider"), .plain("model"), .plain("state"), .flag("is_unfinished"), .plain("error"),
                    .time("created_at"), .time("updated_at"), .plain("row_bytes"), .withheld("owner"), .withheld("attempt"),
                    .withheld("is_away"), .withheld("retry_at"),
                    .withheld("lease_until"), .withheld("stopping"), .withheld("frame_count"), .withheld("ended_at"),
                ],
                ending: .batches),
            PersonalTable(
                "chat_piece", owner: .column("owner"), order: ["message", "first"],
                columns: [.plain("message"), .plain("first"), .plain("last"), .json("texts"), .withheld("owner")],
                ending: .cascade(from: "chat_message")),
            PersonalTable(
                "chat_message_file", owner: .column("owner"), order: ["message", "file"],
                columns: [.plain("message"), .plain("file"), .plain("position"), .withheld("owner")],
                ending: .cascade(from: "chat_message")),
            PersonalTable(
                "chat_tombstone", owner: .column("owner"), order: ["message"],
                columns: [.plain("message"), .time("expires_at"), .withheld("owner")], ending: .batches),
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        // The library deletes the files' rows with its own.
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
