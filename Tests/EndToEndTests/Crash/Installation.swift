import Foundation
import TestKit

/// Nodes of one installation: one database, and for each node a data folder of its own.
final class Installation {
    /// As `KEEPSAKE_DATABASE` takes it.
    let database: String
    private let environment: [String: String]
    private let folder: TemporaryFolder
    private let stores: TestStores?

    /// - Parameter database: as `KEEPSAKE_DATABASE` takes it; an empty one of the engine's unless said otherwise.
    init(_ engine: Engine, database: String? = nil) throws {
        folder = try TemporaryFolder()
        stores = database == nil ? try TestStores(engine) : nil
        self.database = try database ?? stores?.address() ?? ""
        environment = ["KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_DATABASE": self.database]
    }

    func node(_ name: String) throws -> ServerProcess { try ServerProcess(data: folder.path + "/" + name, environment: environment) }

    func person() throws -> CampaignPerson {
        let run = try ServerProcess.run(
            ["token", "--data", folder.path + "/tool", "--email", "crash@example.org", "--json"], environment: environment)
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
