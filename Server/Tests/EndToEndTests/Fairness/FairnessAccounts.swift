import Dispatch
import Foundation
import Synchronization
import TestKit

/// The accounts of the campaign, created by the program's own commands.
struct FairnessAccounts: Sendable {
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

    /// Victims and the accounts that will be deleted sign in with a password, so they are registered. Tokens suffice for the others.
    func people(_ parts: [GreedyResource]) throws -> [String: Any] {
        let victims = (0..<scale.victimCount).map { Wanted(name: "victim\($0)", source: "127.0.2.\($0 + 1)") }
        var leaving: [String: [Wanted]] = [:]
        var greedy: [String: [Wanted]] = [:]
        for part in parts {
            if part == .writes || part == .everything {
                leaving[part.rawValue] = (0..<scale.leavingCount * scale.tries).map {
                    Wanted(name: "leaving-\(part.rawValue)\($0)", source: "127.0.\(part == .writes ? 4 : 5).\($0 + 1)")
                }
            }
            guard part != .everything else { continue }
            let count = part.accountCount * (part.spendsItsAccounts ? scale.tries : 1)
            greedy[part.rawValue] = (0..<count).map {
                Wanted(name: "\(part.rawValue)\($0)", source: part == .hashes ? "127.0.3.\($0 + 1)" : nil)
            }
        }
        let made = try make(victims + leaving.values.joined() + greedy.values.joined())
        var attackers: [String: Any] = [:]
        for (index, part) in parts.enumerated() where part != .everything {
            attackers[part.rawValue] = [
                "accounts": greedy[part.rawValue, default: []].map { made[$0.name] ?? [:] },
                "account_count": part.accountCount, "sources": (0..<part.networkCount).map { "127.0.\(10 + index).\($0 + 1)" },
            ]
        }
        return [
            "victims": victims.map { made[$0.name] ?? [:] }, "greedy": attackers,
            "together": parts.filter(\.isPartOfEverything).map(\.rawValue),
            "leaving": leaving.mapValues { people in people.map { made[$0.name] ?? [:] } }, "leaving_count": scale.leavingCount,
        ]
    }

    private struct Wanted: Sendable {
        let name: String
        /// The address from which the account registers with an invitation and a password; nil for an account with a token.
        let source: String?
    }

    /// Creates the accounts in parallel: most of a command's time is the start of its process.
    private func make(_ wanted: [Wanted]) throws -> [String: [String: String]] {
        let made = Mutex<[String: Result<[String: String], any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: wanted.count) { index in
            let result = Result { try make(wanted[index]) }
            made.withLock { $0[wanted[index].name] = result }
        }
        return try made.withLock { try $0.mapValues { try $0.get() } }
    }

    private func make(_ wanted: Wanted) throws -> [String: String] {
        let email = "\(wanted.name)@example.org"
        guard let source = wanted.source else {
            let json = try command(["token", "--json", "--email", email])
            return ["id": json["user_id"] ?? "", "token": json["access_token"] ?? "", "email": email]
        }
        let json = try command(["invite", "--json"])
        return ["email": email, "password": Self.password, "invite": json["invite"] ?? "", "source": source]
    }
}
