import Foundation
import TestKit

/// The accounts of the campaign, made by the program's own commands.
struct FairnessAccounts {
    let folder: String
    let environment: [String: String]
    let scale: FairnessScale

    private static let password = "correct horse"

    func command(_ arguments: [String]) throws -> [String: String] {
        let run = try ServerProcess.run(
            arguments + ["--data", folder + "/tool"], binary: scale.binary, environment: environment)
        guard run.status == 0 else { throw FairnessStage.Failure(description: run.errors) }
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any] ?? [:]
        return json.compactMapValues { $0 as? String }
    }

    /// Victims and those who leave sign in with a password, and so are registered; for the others tokens are enough.
    func people(_ parts: [GreedyResource]) throws -> [String: Any] {
        func account(_ name: String) throws -> [String: String] {
            let json = try command(["token", "--json", "--email", "\(name)@example.org"])
            return ["id": json["user_id"] ?? "", "token": json["access_token"] ?? "", "email": "\(name)@example.org"]
        }
        func invited(_ name: String, _ source: String) throws -> [String: String] {
            let json = try command(["invite", "--json"])
            return [
                "email": "\(name)@example.org", "password": Self.password, "invite": json["invite"] ?? "", "source": source,
            ]
        }
        let victims = try (0..<scale.victimCount).map { try invited("victim\($0)", "127.0.2.\($0 + 1)") }
        var greedy: [String: Any] = [:]
        var leaving: [String: Any] = [:]
        for (index, part) in parts.enumerated() {
            if part == .writes || part == .everything {
                leaving[part.rawValue] = try (0..<scale.leavingCount * scale.tries).map {
                    try invited("leaving-\(part.rawValue)\($0)", "127.0.\(part == .writes ? 4 : 5).\($0 + 1)")
                }
            }
            guard part != .everything else { continue }
            let sources = (0..<part.networkCount).map { "127.0.\(10 + index).\($0 + 1)" }
            let count = part.accountCount * (part.spendsItsAccounts ? scale.tries : 1)
            let accounts = try (0..<count).map { number in
                let name = "\(part.rawValue)\(number)"
                return try part == .hashes ? invited(name, "127.0.3.\(number + 1)") : account(name)
            }
            greedy[part.rawValue] = ["accounts": accounts, "account_count": part.accountCount, "sources": sources]
        }
        return ["victims": victims, "greedy": greedy, "leaving": leaving, "leaving_count": scale.leavingCount]
    }
}
