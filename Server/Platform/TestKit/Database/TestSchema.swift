internal import CPostgres
internal import Foundation

/// A schema of its own in the PostgreSQL on loopback. Deinitialization drops it with all its contents.
package final class TestSchema: Sendable {
    /// The connection URL of the server that `make services` starts, unless the environment sets another.
    package static let server =
        ServicesScript.environment("KEEPSAKE_TEST_POSTGRES")
        ?? "postgres://postgres@127.0.0.1:\(ServicesScript.environment("KEEPSAKE_POSTGRES_PORT") ?? "15432")/postgres"

    /// The server's port on loopback.
    package static let port = URLComponents(string: server)?.port ?? 5432

    package let name: String
    package var address: String { Self.server + "?options=-csearch_path%3D" + name }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package init() throws {
        name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try Self.perform("CREATE SCHEMA \(name)")
    }

    deinit { try? Self.perform("SET lock_timeout = '2s'; SET client_min_messages = error; DROP SCHEMA IF EXISTS \(name) CASCADE") }

    private static func perform(_ text: String) throws {
        let connection = PQconnectdb(server)
        defer { PQfinish(connection) }
        let result = PQexec(connection, text)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else {
            throw Failure(
                description:
                    "PostgreSQL for tests (\(server)); start it with `make services`: \(String(cString: PQerrorMessage(connection)))")
        }
    }
}
