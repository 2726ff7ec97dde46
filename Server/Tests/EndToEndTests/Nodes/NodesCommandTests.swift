import Database
import DatabaseEngines
import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

@Suite("keepsake nodes, and nodes of other releases", .blocksThreads)
struct NodesCommandTests {
    private struct Listed: Decodable {
        let id: String
        let host: String
        let version: String
        let alive: Bool
        let requests: Int
        let jobs: Int
    }

    private static func list(_ environment: [String: String], _ folder: String) throws -> [Listed] {
        let run = try ServerProcess.run(["nodes", "--json", "--data", folder], environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        return try run.output.split(separator: "\n").map { try JSONDecoder().decode(Listed.self, from: Data($0.utf8)) }
    }

    private static func metrics(_ port: Int) throws -> String {
        let connection = try RawConnection(port: port)
        try connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try connection.answer().text
    }

    private static func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<150 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    @Test("it lists the nodes; one that stops disappears, and one that was killed stays with its last heartbeat")
    func nodes() async throws {
        let stores = try TestStores(.postgres)
        let folder = try TemporaryFolder()
        let environment = ["KEEPSAKE_DATABASE": try stores.address()]
        let one = try ServerProcess(data: folder.path + "/one", environment: environment)
        let two = try ServerProcess(data: folder.path + "/two", environment: environment)
        let three = try ServerProcess(data: folder.path + "/three", environment: environment)
        let path = folder.path
        #expect(try await Self.eventually { try Self.list(environment, path).count == 3 })
        let listed = try Self.list(environment, path)
        #expect(listed.map(\.alive) == [true, true, true] && Set(listed.map(\.id)).count == 3)
        #expect(Set(listed.map(\.version)) == [Keepsake.version])
        // The list has a node's port after the node's second heartbeat at the latest.
        let ports = Set([one, two, three].map { ":\($0.port)" })
        #expect(
            try await Self.eventually {
                let hosts = try Self.list(environment, path).map(\.host)
                return Set(hosts.map { ":\($0.split(separator: ":").last ?? "")" }) == ports
            })
        #expect(try await Self.eventually { try Self.metrics(one.port).contains("\nkeepsake_nodes 3") })
        #expect(three.terminate() == 0)
        #expect(try Self.list(environment, path).count == 2)
        two.killNow()
        #expect(try Self.list(environment, path).count == 2)
        let table = try ServerProcess.run(["nodes", "--data", path], environment: environment)
        #expect(table.status == 0 && table.output.contains("LAST HEARTBEAT") && table.output.split(separator: "\n").count == 3)
        #expect(one.terminate() == 0)
        withExtendedLifetime(stores) {}
    }

    @Test("a server starts on a schema that is one release newer, and refuses a newer one with a line that says what to do")
    func releases() async throws {
        let folder = try TemporaryFolder()
        let address = try #require(DatabaseAddress("sqlite:\(folder.path)/keepsake.sqlite"))
        for ahead in 1...2 {
            let database = try await address.open()
            let next = (1...ahead).map { number in
                Migration("later/00\(number)", ["CREATE TABLE later\(number) (n BIGINT)"], release: Keepsake.release + number)
            }
            try await database.migrate(Backend.migrations + next, release: Keepsake.release + ahead)
            try await database.close()
            if ahead == 1 {
                let server = try ServerProcess(data: folder.path)
                #expect(server.terminate() == 0)
            } else {
                let refused = try ServerProcess.run(["serve", "--port", "0", "--data", folder.path])
                #expect(refused.status == 69)
                let errors = refused.errors
                #expect(errors.contains("2 releases newer") && errors.contains("Install the newer version"), "\(errors)")
            }
        }
    }
}
