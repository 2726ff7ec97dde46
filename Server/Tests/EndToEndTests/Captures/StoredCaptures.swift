import Database
import DatabaseEngines
import Foundation

/// What a running server has stored of one account's captures.
struct StoredCaptures {
    private(set) var count = 0
    private(set) var processed = 0
    /// The engines of the analyses, each once.
    private(set) var engines: Set<String> = []
    /// The number of analyses with an error.
    private(set) var errors = 0

    /// - Parameter address: in the format of `KEEPSAKE_DATABASE`.
    static func read(_ address: String, of person: CampaignPerson) async throws -> Self {
        try await with(address) { database in
            let rows = try await database.read { tx in
                try tx.rows("SELECT status, analysis FROM capture WHERE owner = \(person.id)").map {
                    (try $0.get("status", as: String.self), try $0.get("analysis", as: String?.self))
                }
            }
            var found = Self()
            for (status, text) in rows {
                let analysis = try text.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
                found.count += 1
                found.processed += status == "processed" ? 1 : 0
                if let engine = analysis?["engine"] as? String { found.engines.insert(engine) }
                if let error = analysis?["error"] as? String, !error.isEmpty { found.errors += 1 }
            }
            return found
        }
    }

    /// Makes all waiting analyses due, so that a test need not wait for the pauses between attempts.
    static func hasten(_ address: String) async throws {
        _ = try await with(address) { database in
            try await database.run(
                "UPDATE job SET run_at = 0 WHERE kind IN ('captures/analyse', 'captures/analyse-picture') AND state = 'ready'")
        }
    }

    private static func with<T: Sendable>(_ address: String, _ body: (any Database) async throws -> T) async throws -> T {
        let database = try await DatabaseAddress(address)!.open(connections: 2)
        let result: Result<T, any Error>
        do { result = .success(try await body(database)) } catch { result = .failure(error) }
        try await database.close()
        return try result.get()
    }
}
