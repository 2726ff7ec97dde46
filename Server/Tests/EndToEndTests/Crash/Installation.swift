import Foundation
import TestKit

/// The nodes of one installation. They share a database, and each has its own data folder.
final class Installation {
    /// In the format of `KEEPSAKE_DATABASE`.
    let database: String
    private let environment: [String: String]
    private let folder: TemporaryFolder
    private let stores: TestStores?

    /// - Parameters:
    ///   - database: in the format of `KEEPSAKE_DATABASE`; nil creates an empty database of `engine`.
    ///   - clamd: in the format of `KEEPSAKE_CLAMD`.
    ///   - settings: further environment variables of the nodes.
    init(_ engine: Engine, database: String? = nil, clamd: String? = nil, settings: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        stores = database == nil ? try TestStores(engine) : nil
        self.database = try database ?? stores?.address() ?? ""
        var environment = [
            "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_CONNECTIONS_PER_ADDRESS": "20000", "KEEPSAKE_DATABASE": self.database,
        ]
        environment["KEEPSAKE_CLAMD"] = clamd
        self.environment = environment.merging(settings) { $1 }
    }

    func node(_ name: String) throws -> ServerProcess { try ServerProcess(data: folder.path + "/" + name, environment: environment) }

    /// The number of files in the nodes' blob stores, including temporary ones.
    func fileCount() throws -> Int {
        let all = FileManager.default.enumerator(at: URL(filePath: folder.path), includingPropertiesForKeys: [.isRegularFileKey])
        var count = 0
        while let file = all?.nextObject() as? URL {
            guard file.pathComponents.contains("blobs") else { continue }
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { count += 1 }
        }
        return count
    }

    /// Creates `count` accounts with different addresses.
    func people(_ count: Int) throws -> [CampaignPerson] { try (0..<count).map { try person("crash\($0)@example.org") } }

    func person(_ email: String = "crash@example.org") throws -> CampaignPerson {
        let run = try ServerProcess.run(
            ["token", "--data", folder.path + "/tool", "--email", email, "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return CampaignPerson(id: id, token: token)
    }
}

struct CampaignPerson: Sendable {
    let id: String
    let token: String

    var library: String { "/api/users/user/\(id)/multimedia" }
}
