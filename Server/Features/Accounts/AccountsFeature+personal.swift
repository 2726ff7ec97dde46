package import Database

extension AccountsFeature {
    /// A restore must not bring back sessions and codes: they may have ended after the backup was made.
    package static var revocableTables: [String] { ["session", "refresh_token", "session_cookie", "password_reset", "email_change"] }

    /// Exports omit passwords and the hashes of tokens.
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "refresh_token", owner: .row("session", of: "session", key: "id", owner: "account"), order: ["hash"],
                columns: [.plain("session"), .time("created_at"), .time("expires_at"), .time("used_at"), .withheld("hash")],
                ending: .batches),
            PersonalTable(
                "session_cookie", owner: .row("session", of: "session", key: "id", owner: "account"), order: ["hash"],
                columns: [.plain("session"), .time("created_at"), .time("expires_at"), .plain("user_agent"), .withheld("hash")],
                ending: .cascade(from: "session")),
            PersonalTable(
                "session", owner: .column("account"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .time("created_at"), .plain("method"), .plain("user_agent"), .time("last_used_at"), .time("expires_at"),
                    .time("ended_at"), .time("authenticated_at"), .withheld("identity"), .withheld("account"),
                ],
                ending: .batches),
            PersonalTable(
                "identity", owner: .column("account"), order: ["created_at", "issuer", "subject"],
                columns: [
                    .plain("issuer"), .plain("subject"), .plain("email"), .time("created_at"), .time("linked_at"), .withheld("account"),
                ],
                ending: .cascade(from: "account")),
            // The row is deleted after Apple has revoked the token.
            PersonalTable(
                "apple_token", owner: .column("account"), order: ["subject", "client_id"],
                columns: [.plain("subject"), .plain("client_id"), .time("created_at"), .withheld("sealed"), .withheld("account")],
                ending: .batches),
            PersonalTable(
                "invitation", owner: .column("account"), order: ["hash"],
                columns: [
                    .time("created_at"), .time("expires_at"), .time("used_at"), .withheld("hash"), .withheld("email_hash"),
                    .withheld("account"),
                ],
                ending: .cascade(from: "account")),
            PersonalTable(
                "password_reset", owner: .column("account"), order: ["id"],
                columns: [.time("created_at"), .time("expires_at"), .withheld("id"), .withheld("hash"), .withheld("account")],
                ending: .cascade(from: "account")),
            PersonalTable(
                "email_change", owner: .column("account"), order: ["id"],
                columns: [
                    .plain("email"), .time("created_at"), .time("expires_at"), .time("used_at"), .withheld("id"), .withheld("hash"),
                    .withheld("account"),
                ],
                ending: .cascade(from: "account")),
            PersonalTable(
                "account", owner: .column("id"), order: ["id"],
                columns: [
                    .plain("id"), .plain("email"), .plain("name"), .flag("is_admin"), .flag("is_pro"), .time("created_at"),
                    .time("closed_at"), .time("credential_set_at"), .time("recovered_at"), .plain("phone"), .time("phone_proved_at"),
                    .time("verified_at"), .time("suspended_at"), .flag("outside_engines"), .plain("time_zone"), .withheld("password_hash"),
                ],
                ending: .last),
        ]
    }
}
