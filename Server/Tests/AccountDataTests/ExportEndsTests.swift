import Foundation
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("Exports whose session ends", .blocksThreads)
struct ExportEndsTests {
    /// Regression: a person with a copied token could read an export slowly for weeks, and received what the owner stored after signing out
    /// everywhere.
    @Test("an export ends with the session that requested it; another account's goes on", arguments: StoragePair.allCases)
    func ends(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.sockets.look = .milliseconds(1) }) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            for (number, person) in [ada, eve].enumerated() {
                // The file is larger than what sockets and buffers hold, so an archive that is not read stays unfinished.
                let answer = try await server.upload(.file("a.mp4", Film.bytes(20_000_000 + number)), as: person)
                #expect(answer.status == 200)
            }
            let (hers, other) = (try await server.begin(ada), try await server.begin(eve))
            #expect(hers.status == 200 && other.status == 200)
            #expect(try await server.send("DELETE", "/auth/sessions", as: ada).status == 200)
            await #expect(throws: (any Error).self) { try await hers.rest() }
            #expect(try await other.rest() > 20_000_000)
        }
    }
}
