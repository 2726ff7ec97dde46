import Core
import Database
import TestKit
import Testing

@testable import Accounts

@Suite struct ServerSecretsTests {
    @Test(arguments: Engine.allCases) func `a secret is the same ever after and in every process, and each name has its own`(
        _ engine: Engine
    ) async throws {
        try await AccountsHome.run(engine) { home in
            let links = try await home.secret(named: "links")
            #expect(links.exposed.count == 32)
            #expect(try await home.secret(named: "links") == links)
            #expect(try await home.secret(named: "cursors") != links)
            let elsewhere = try await home.another { try await $0.secret(named: "links") }
            #expect(elsewhere == links)
        }
        try await AccountsHome.run(engine) { first in
            let one = try await first.secret(named: "links")
            let other = try await AccountsHome.run(engine) { try await $0.secret(named: "links") }
            #expect(other != one)
        }
    }

    @Test(arguments: Engine.allCases) func `all who need it first at once get the same`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            try await home.another { other in
                let secrets = try await withThrowingTaskGroup(of: Secret<[UInt8]>.self) { group in
                    for number in 0..<32 { group.addTask { try await (number % 2 == 0 ? home : other).secret(named: "links") } }
                    return try await group.reduce(into: [[UInt8]]()) { $0.append($1.exposed) }
                }
                #expect(Set(secrets).count == 1)
            }
            #expect(try await home.count("SELECT COUNT(*) AS n FROM server_secret") == 1)
        }
    }
}
