import AccountData
import Accounts
import ArgumentParser
import Core
import Foundation
import KeepsakeWire

/// `keepsake users list`, `show`, `quota`, `admin` and `delete`.
extension Users {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List accounts with what they store, newest first.")

        @Option(help: "An id, a phone number in international form, or the beginning of an e-mail address.")
        var query: String?

        @Option(help: "The most accounts to list, 1…1000.")
        var limit = 50

        @Option(help: "Continue a list after the account with this id, the last one that it shows.")
        var after: String?

        @Flag(help: "A line of JSON for each account, as GET /admin/users shows it.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await Users.open(options) { feature, settings in
                try Output.checkLimit(limit)
                var users: [AdminUser] = []
                let all: [AccountSummary]
                do {
                    all = try await feature.operations.find(query, after: after, limit: limit + 1)
                } catch let problem as Problem where problem.kind == .notFound {
                    throw Problem(
                        .notFound, "--after: there is no account \(after ?? ""); it may have been deleted. Name another one of the list.")
                }
                let found = all.prefix(limit)
                // One statement can take a few hundred ids, so read the users in parts.
                for start in stride(from: 0, to: found.count, by: 500) {
                    users += try await feature.quotaOfAccount.users(Array(found[start..<min(start + 500, found.count)]))
                }
                if json {
                    for user in users { print(try user.json()) }
                } else if users.isEmpty {
                    print("no accounts")
                } else {
                    print(Output.table(AdminUser.headings, users.map { $0.cells(settings) }))
                }
                if all.count > limit, let last = found.last {
                    let otherwise = "narrow the list with --query, or continue it with --after \(last.id)"
                    Exit.note(Output.more("accounts", limit: limit, otherwise: otherwise))
                }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show an account with what it stores and its sessions.")

        @OptionGroup var account: AccountName

        @Flag(help: "One line of JSON, as GET /admin/users/{id} shows it.")
        var json = false

        @OptionGroup var options: ToolOptions

        func run() async throws {
            try await Users.open(options) { feature, settings in
                let page = try await feature.page(of: try await feature.operations.account(account.name).id)
                if json { return print(try Users.json(page)) }
                try page.user.print(json: false, settings)
                guard !page.sessions.isEmpty else { return print("no sessions") }
                let headings = ["SESSION", "METHOD", "CREATED", "LAST USED", "CLIENT"]
                print("")
                print(
                    Output.table(
                        headings,
                        page.sessions.map {
                            [
                                $0.id, $0.method, WireDate.format($0.createdAt, .microseconds),
                                WireDate.format($0.lastUsedAt, .microseconds),
                                $0.userAgent ?? "-",
                            ]
                        }))
            }
        }
    }

    struct Quota: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account a quota of its own, or the server's again (KEEPSAKE_QUOTA_MB). Works while the server runs.")

        @OptionGroup var account: AccountName

        @Option(help: "Megabytes that the account may store, 0…1000000000. What it has stored already stays.")
        var mb: Int64?

        @Flag(help: "Remove the account's own quota.")
        var `default` = false

        @Flag(help: "One line of JSON: the account.")
        var json = false

        @OptionGroup var options: ToolOptions

        func validate() throws {
            guard (mb != nil) != `default` else { throw ValidationError("Pass either --mb or --default.") }
            guard 0...1_000_000_000 ~= mb ?? 0 else { throw ValidationError("--mb must be from 0 to 1000000000.") }
        }

        func run() async throws {
            try await Users.open(options) { feature, settings in
                let id = try await feature.operations.account(account.name).id
                try await feature.quotaOfAccount.set(mb.map { $0 * 1_048_576 }, of: id, by: .command(user: SystemUser.name))
                try await feature.page(of: id).user.print(json: json, settings)
            }
        }
    }

    struct Admin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an account an administrator, or remove that right. Works while the server runs.")

        @OptionGroup var account: AccountName

        @Flag(help: "Remove the right from the account.")
        var remove = false

        @Flag(help: "With --remove: even if no other administrator is left.")
        var force = false

        @Flag(help: "One line of JSON: the account.")
        var json = false

        @OptionGroup var options: ToolOptions

        func validate() throws {
            guard remove || !force else { throw ValidationError("--force is only for --remove.") }
        }

        func run() async throws {
            try await Users.open(options) { feature, settings in
                let id = try await feature.operations.account(account.name).id
                _ = try await feature.operations.perform(
                    remove ? .demote : .promote, on: id, by: .command(user: SystemUser.name), evenLast: force)
                try await feature.page(of: id).user.print(json: json, settings)
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete an account, even a suspended one. This cannot be undone. Works while the server runs, which erases the data.")

        @OptionGroup var account: AccountName

        @Flag(help: "Hand each cove that the account created to another member, instead of ending it.")
        var keepCoves = false

        @Flag(help: "Needed, because the deletion cannot be undone.")
        var yes = false

        @Flag(help: "Even if no other administrator is left.")
        var force = false

        @Flag(help: "One line of JSON: account_id, deleted_at, receipt.")
        var json = false

        @OptionGroup var options: ToolOptions

        func validate() throws {
            guard yes else { throw ValidationError("The deletion cannot be undone. Pass --yes if you mean it.") }
        }

        func run() async throws {
            try await Users.open(options) { feature, _ in
                let id = try await feature.operations.account(account.name).id
                let deleted = try await feature.removal(
                    id, keepsCoves: keepCoves, by: .command(user: SystemUser.name), evenLast: force)
                if json { return print(try Users.json(deleted)) }
                try Output.print(
                    json: false, ("account_id", deleted.accountID), ("deleted_at", WireDate.format(deleted.deletedAt, .microseconds)),
                    ("receipt", deleted.receipt))
            }
        }
    }

    /// The account as one line of JSON, in the form of the API.
    fileprivate static func json(_ value: some Encodable) throws -> String {
        let encoder = Surface.capsules.makeEncoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension AdminUser {
    fileprivate static let headings = ["ID", "E-MAIL OR PHONE", "CREATED", "FILES", "STORED", "QUOTA", "STANDING"]

    /// - Parameter settings: the settings of this command. The quota in them may differ from the server's.
    fileprivate func cells(_ settings: Settings) -> [String] {
        let quota = usage.ownQuota == nil && !settings.readsQuota ? "server's" : SizeText.rounded(Int64(usage.quota))
        return [
            id, email ?? phone ?? "-", WireDate.format(createdAt, .microseconds), "\(usage.files)", SizeText.rounded(Int64(usage.bytes)),
            quota, standing.isEmpty ? "-" : standing.joined(separator: ", "),
        ]
    }

    private var standing: [String] {
        [isAdmin ? "admin" : nil, verifiedAt == nil ? nil : "verified", suspendedAt == nil ? nil : "suspended"].compactMap { $0 }
    }

    fileprivate func json() throws -> String { try Users.json(self) }

    /// - Parameter settings: the settings of this command. The quota in them may differ from the server's.
    fileprivate func print(json isJSON: Bool, _ settings: Settings) throws {
        if isJSON { return Swift.print(try json()) }
        try Output.print(
            json: false, ("user_id", id), ("email", email), ("phone", phone), ("created_at", WireDate.format(createdAt, .microseconds)),
            ("standing", standing.isEmpty ? nil : standing.joined(separator: ", ")), ("files", "\(usage.files)"),
            ("stored", SizeText.rounded(Int64(usage.bytes))),
            ("quota", usage.ownQuota.map { "\(SizeText.rounded(Int64($0))), the account's own" } ?? settings.quotaText))
    }
}

extension Settings {
    /// Whether the command's own settings say which quota accounts have. If not, the server's own settings may still set one.
    fileprivate var readsQuota: Bool { written.isSet("quota_mb") }

    /// The quota of an account that has no quota of its own, as far as this command knows it.
    var quotaText: String {
        let size = SizeText.rounded(quotaByteCount)
        guard readsQuota else {
            return "the server's: \(size), unless the server is started with KEEPSAKE_QUOTA_MB, which is not set for this command"
        }
        return "the server's: \(size), according to \(naming("KEEPSAKE_QUOTA_MB"))"
    }
}
