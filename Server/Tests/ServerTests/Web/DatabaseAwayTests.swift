import Core
import Database
import DatabaseEngines
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("When PostgreSQL is unavailable", .blocksThreads)
struct DatabaseAwayTests {
    @Test("requests are 503 with Retry-After in the route's dialect and store nothing, and succeed again once PostgreSQL is back")
    func away() async throws {
        let stores = try TestStores(.postgres)
        let proxy = try Proxy(toPort: TestSchema.port)
        let address = try stores.address().replacing(":\(TestSchema.port)", with: ":\(proxy.port)")
        try await TestServer.run(.postgres, on: stores, { $0.database = DatabaseAddress(address)! }) { server in
            let ada = try await server.person()
            let photo = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            proxy.set { _, _ in .cut }
            let upload = try await server.upload(photo, as: ada)
            #expect(upload.status == 503 && upload.header("Retry-After") == "2")
            #expect(try upload.decode(MultimediaErrorBody.self).code == 503)
            let me = try await server.send("GET", "/user/me", as: ada)
            #expect(me.status == 503)
            #expect(try me.json()["error"] as? String == "service_unavailable")
            #expect(!me.text.contains("127.0.0.1") && !me.text.contains("postgres"))
            #expect(try await server.send("GET", "/health/ready").status == 503)
            #expect(try await server.send("GET", "/health/live").status == 200)
            #expect(try await server.storedFileCount() == 0)
            proxy.set { _, _ in .pass }
            try await eventually { try await server.send("GET", "/health/ready").status == 200 }
            #expect(try await server.upload(photo, as: ada).status == 200)
        }
        proxy.close()
    }

    @Test(
        "an upload whose COMMIT gets no reply is 503; a retry with its key yields one row, whether it was committed or not",
        arguments: [true, false])
    func unclear(_ arrives: Bool) async throws {
        let stores = try TestStores(.postgres)
        let proxy = try Proxy(toPort: TestSchema.port)
        let address = try stores.address().replacing(":\(TestSchema.port)", with: ":\(proxy.port)")
        try await TestServer.run(
            .postgres, on: stores,
            {
                $0.database = DatabaseAddress(address)!
                $0.databaseConnections = 1
            }
        ) { server in
            let ada = try await server.person()
            let photo = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
            // Set once the transaction that stores the response has begun. Its commit is then cut.
            let keeps = Flag()
            proxy.set { bytes, direction in
                guard direction == .toServer else { return .pass }
                if bytes.contains(Array("INSERT INTO media".utf8)) { keeps.raise() }
                guard keeps.isUp, bytes.contains(Array("COMMIT".utf8)) else { return .pass }
                return arrives ? .passAndCut : .cut
            }
            #expect(try await server.upload(photo, as: ada, key: "k").status == 503)
            proxy.set { _, _ in .pass }
            try await eventually { try await server.send("GET", "/health/ready").status == 200 }
            server.clock.advance(by: .seconds(11))
            let retry = try await server.upload(photo, as: server.person(), key: "k")
            #expect(retry.status == 200)
            #expect((retry.header("Idempotency-Replayed") == "true") == arrives)
            let rows: Int? = try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media")?.get("n") }
            #expect(rows == 1)
        }
        proxy.close()
    }

    private final class Flag: Sendable {
        private let state = Mutex(false)
        var isUp: Bool { state.withLock { $0 } }
        func raise() { state.withLock { $0 = true } }
    }
}
