import Core
import Database
import Foundation
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Requests while every thread that reads the database waits", .blocksThreads)
struct BlockedDatabaseTests {
    /// Reads that do not return until `release`. There are more of them than threads or connections.
    private final class BlockingReads: Sendable {
        static let (onSQLite, onPostgres) = (256, 16)
        private let count: Int
        private let entered = Mutex(0)
        private let gate = DispatchSemaphore(value: 0)

        /// - Parameter count: a number greater than that of the engine's threads or connections for reads.
        init(count: Int) { self.count = count }

        func release() { for _ in 0..<count { gate.signal() } }

        private func reading(_ database: any Database) -> Task<Void, any Error> {
            Task {
                try await database.read { [self] _ in
                    entered.withLock { $0 += 1 }
                    gate.wait()
                }
            }
        }

        /// Starts the reads, and returns them once no thread is free. `release` ends them.
        func begin(_ database: any Database) async throws -> [Task<Void, any Error>] {
            // Each read is for a different account and network, because reads of a single one, or of the server itself, would leave threads
            // free.
            let reads = (0..<count).map { number in
                Requester(account: "blocking \(number)", network: Network(ipv4: UInt32(number))).run { reading(database) }
            }
            // On SQLite every read has a thread or waits for one. On PostgreSQL the test's server has four connections.
            func isBlocked() -> Bool {
                let entered = entered.withLock { $0 }
                return count > Self.onPostgres ? entered + (database.threads?.backlog ?? 0) >= count : entered >= 4
            }
            while !isBlocked() { try await Task.sleep(for: .milliseconds(5)) }
            return reads
        }
    }

    private final class Answered: Sendable {
        let status = Mutex<Int?>(nil)
    }

    @Test("a request that reads no database is answered; one that reads it waits", arguments: Engine.allCases)
    func answers(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let console = try await server.send("GET", "/console/app.js")
            let etag = try #require(console.headers["ETag"].first)
            let description = try await server.send("GET", "/openapi.json")
            let blocking = BlockingReads(count: engine == .sqlite ? BlockingReads.onSQLite : BlockingReads.onPostgres)
            let reads = try await blocking.begin(server.backend.database)
            let answered = Answered()
            let me = Task {
                let status = try await server.send("GET", "/user/me", as: ada).status
                answered.status.withLock { $0 = status }
            }
            do {
                defer { blocking.release() }
                #expect(try await server.send("GET", "/health/live").status == 200)
                #expect(try await server.send("GET", "/nowhere").status == 404)
                #expect(try await server.send("DELETE", "/health/live").status == 405)
                #expect(try await server.send("GET", "/openapi.json").status == 200)
                #expect(description.status == 200)
                #expect(try await server.send("GET", "/console/app.js").status == 200)
                #expect(try await server.send("GET", "/console/app.js", headers: [("If-None-Match", etag)]).status == 304)
                #expect(try await server.send("GET", "/metrics").status == 200)
                #expect(try await server.send("GET", "/user/me").status == 401)
                for token in ["x", "x.y.z", "Zm9v.YmFy.YmF6", ""] {
                    #expect(try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token)")]).status == 401)
                }
                let link = "/api/users/user/\(ada.id)/multimedia/files/00000000-0000-4000-8000-000000000000?expires=1&signature=x"
                #expect(try await server.send("GET", link).status == 403)
                // The control: a request that reads the database cannot have been answered.
                #expect(answered.status.withLock { $0 } == nil)
            }
            try await me.value
            #expect(answered.status.withLock { $0 } == 200)
            for read in reads { try await read.value }
        }
    }
}
