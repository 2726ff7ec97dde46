import Accounts
import Core
import TestKit
import Testing

@testable import AccountData
@testable import FeatureTestKit
@testable import keepsake

@Suite("The only administrator")
struct LastAdministratorTests {
    private static let shell = Operator.command(user: "ada")

    /// Whether the account may use the administrators' routes.
    private func isAdministrator(_ person: TestServer.Person, _ server: TestServer) async throws -> Bool {
        try await server.send("GET", "/admin/users", as: person).status == 200
    }

    @Test("a command neither demotes, suspends nor deletes the only one, unless it is forced to; a suspended one does not count as another")
    func commands() async throws {
        try await TestServer.run(.sqlite) { server in
            let (one, two) = (try await server.administrator("one"), try await server.administrator("two"))
            let feature = server.backend.features[AccountDataFeature.self]
            // This suspension is allowed, because there is another administrator.
            _ = try await feature.operations.perform(.suspend, on: two.id, by: Self.shell)
            for action in [AccountOperations.Action.demote, .suspend] {
                await #expect(throws: Problem.lastAdministrator) {
                    _ = try await feature.operations.perform(action, on: one.id, by: Self.shell)
                }
            }
            await #expect(throws: Problem.lastAdministrator) {
                _ = try await feature.removal(one.id, keepsCoves: false, by: Self.shell)
            }
            #expect(try await isAdministrator(one, server))
            // The command can delete a person who is not an administrator, and demote a suspended administrator.
            let eve = try await server.person("eve")
            _ = try await feature.operations.perform(.suspend, on: eve.id, by: Self.shell)
            _ = try await feature.removal(eve.id, keepsCoves: false, by: Self.shell)
            _ = try await feature.operations.perform(.demote, on: two.id, by: Self.shell)

            _ = try await feature.operations.perform(.demote, on: one.id, by: Self.shell, evenLast: true)
            #expect(try await !isAdministrator(one, server))
            _ = try await feature.operations.perform(.promote, on: one.id, by: Self.shell)
            _ = try await feature.operations.perform(.suspend, on: one.id, by: Self.shell, evenLast: true)
            _ = try await feature.operations.perform(.restore, on: one.id, by: Self.shell)
            _ = try await feature.removal(one.id, keepsCoves: false, by: Self.shell, evenLast: true)
            #expect(try await server.send("GET", "/user/me", as: one).status == 401)
        }
    }

    @Test("when two administrators suspend or delete each other at the same moment, one is left", arguments: Engine.allCases)
    func mutual(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            var survivor = try await server.administrator("first")
            for round in 0..<6 {
                let (one, two) = (survivor, try await server.administrator("other-\(round)"))
                let (method, action) = round.isMultiple(of: 2) ? ("POST", "/suspend") : ("DELETE", "")
                async let first = server.send(method, "/admin/users/\(two.id)\(action)", as: one)
                async let second = server.send(method, "/admin/users/\(one.id)\(action)", as: two)
                let statuses = try await [first.status, second.status]
                // The other request gets 409, or 401 or 403 if its own account was gone before the server read its token.
                #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
                var left: [TestServer.Person] = []
                for person in [one, two] where try await isAdministrator(person, server) { left.append(person) }
                try #require(left.count == 1, "\(statuses)")
                survivor = left[0]
            }
        }
    }

    @Test("the only administrator may delete their own account, because everybody may")
    func own() async throws {
        try await TestServer.run(.sqlite) { server in
            let admin = try await server.administrator()
            #expect(try await server.send("POST", "/auth/delete", as: admin).status == 200)
            #expect(try await server.send("GET", "/user/me", as: admin).status == 401)
        }
    }
}
