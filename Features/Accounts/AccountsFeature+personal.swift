package import Database

extension AccountsFeature {
    /// Passwords, and the hashes that tokens are known by, are for nobody.
    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "refresh_token", owner: .row("session", of: "session", key: "id", owner: "account"), order: ["hash"],
                columns: [.plain("session"), .time("created_at"), .time("expires_at"), .time("used_at"), .withheld("hash")],
                ending: .cascade(from: "session")),
            PersonalTable(
                "session_cookie", owner: .row("session", of: "session", key: "id", owner: "account"), order: ["hash"],
                columns: [.plain("session"), .time("created_at"), .time("expires_at"), .withheld("hash")],
                ending: .cascade(from: "session")),
            PersonalTable(
                "session", owner: .column("account"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .time("created_at"), .time("last_used_at"), .time("expires_at"), .time("ended_at"), .withheld("account"),
                ],
                ending: .statement),
            PersonalTable(
                "account", owner: .column("id"), order: ["id"],
                columns: [
                    .plain("id"), .plain("email"), .plain("name"), .flag("is_admin"), .flag("is_pro"), .time("created_at"),
                    .time("closed_at"), .withheld("password_hash"),
                ],
                ending: .last),
        ]
    }
}
