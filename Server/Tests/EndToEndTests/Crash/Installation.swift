import Dispatch
import Foundation
import Synchronization
import TestKit

/// The nodes of one installation. They share a database, and with PostgreSQL the objects in radosgw. Each has its own data folder.
final class Installation {
    /// In the format of `KEEPSAKE_DATABASE`.
    let database: String
    private let environment: [String: String]
    private let folder: TemporaryFolder
    private let stores: TestStores

    /// - Parameters:
    ///   - database: in the format of `KEEPSAKE_DATABASE`; nil creates an empty one.
    ///   - clamd: in the format of `KEEPSAKE_CLAMD`.
    ///   - settings: further environment variables of the nodes.
    init(_ pair: StoragePair, database: String? = nil, clamd: String? = nil, settings: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        stores = try TestStores(pair)
        self.database = try database ?? stores.address()
        var environment = [
            "KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_CONNECTIONS_PER_ADDRESS": "20000", "KEEPSAKE_DATABASE": self.database,
        ]
        environment["KEEPSAKE_CLAMD"] = clamd
        if pair == .shared { environment.merge(try stores.objects().environment) { $1 } }
        self.environment = environment.merging(settings) { $1 }
    }

    /// - Parameter binary: another program that runs the server; `nil` runs it directly.
    func node(_ name: String, binary: String? = nil) throws -> ServerProcess {
        try ServerProcess(data: folder.path + "/" + name, environment: environment, binary: binary)
    }

    /// The number of files in the nodes' blob stores, including temporary ones.
    func fileCount() async throws -> Int {
        guard stores.pair == .embedded else { return try await stores.objects().list().count }
        let all = FileManager.default.enumerator(at: URL(filePath: folder.path), includingPropertiesForKeys: [.isRegularFileKey])
        var count = 0
        while let file = all?.nextObject() as? URL {
            guard file.pathComponents.contains("blobs") else { continue }
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { count += 1 }
        }
        return count
    }

    /// Creates `count` accounts with different addresses, 1 or more. The first command creates the database. The others run side by side,
    /// because most of a command's time is the start of its process.
    func people(_ count: Int) throws -> [CampaignPerson] {
        let first = try person("crash0@example.org")
        let others = Mutex<[Int: Result<CampaignPerson, any Error>]>([:])
        let data = folder.path + "/tool"
        let environment = environment
        DispatchQueue.concurrentPerform(iterations: count - 1) { index in
            let result = Result { try Self.person("crash\(index + 1)@example.org", data: data, environment) }
            others.withLock { $0[index] = result }
        }
        let made = others.withLock { $0 }
        return try [first] + (0..<count - 1).compactMap { try made[$0]?.get() }
    }

    /// Runs a command of `keepsake` on this installation.
    func command(_ arguments: [String], node: String = "one") throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(arguments + ["--data", folder.path + "/" + node], environment: environment)
    }

    func person(_ email: String = "crash@example.org") throws -> CampaignPerson {
        try Self.person(email, data: folder.path + "/tool", environment)
    }

    private static func person(_ email: String, data: String, _ environment: [String: String]) throws -> CampaignPerson {
        let run = try ServerProcess.run(
            ["token", "--begin-installation", "--data", data, "--email", email, "--json"], environment: environment)
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
