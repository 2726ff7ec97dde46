import Accounts
import Core
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Forged identity tokens")
struct IdentityForgeryTests {
    // The server refuses forged tokens before it reads a row, so the test runs only one endpoint on PostgreSQL.
    @Test(
        "each forged token is 401 at each endpoint, in its dialect, and creates no account",
        arguments: TokenEndpoint.allCases.map { ($0, Engine.sqlite) } + [(TokenEndpoint.allCases[0], Engine.postgres)])
    func forgeries(_ endpoint: TokenEndpoint, _ engine: Engine) async throws {
        #expect(IdentityForgery.all.count >= 60)
        #expect(Set(IdentityForgery.all.map(\.name)).count == IdentityForgery.all.count)
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: { server async throws in
                for forgery in IdentityForgery.all {
                    let token = try forgery.make(IdentityForge(endpoint.issuer, standIn, server.clock))
                    let answer = try await endpoint.send(server, standIn, token)
                    let body = try answer.json()
                    #expect(answer.status == 401, "\(forgery.name): \(answer.text)")
                    #expect(Set(body.keys) == endpoint.errorKeys, "\(forgery.name)")
                    #expect(token.count < 10 || !answer.text.contains(token), "\(forgery.name)")
                    // After 10 seconds the server may fetch the keys again for an unknown key id.
                    server.clock.advance(by: .seconds(10))
                }
                #expect(try await server.accounts() == 0)
                #expect(try await server.identities() == 0)
                // The headers named the forger's keys, and the server fetched none of them.
                let offered = standIn.requests.filter { $0.contains("forger") }
                #expect(offered.isEmpty)

                // Control: an unchanged token is accepted, so each refusal is caused by the change.
                let genuine = try await endpoint.send(server, standIn, try IdentityForge(endpoint.issuer, standIn, server.clock).sign())
                // The endpoint that has a user in its path is sent the user of this token.
                #expect(genuine.status == 200, "\(genuine.text)")
                #expect(try await server.accounts() == 1)
            }
        }
    }

    @Test("clocks may differ by a minute, and a list of audiences is accepted where the standard allows one", arguments: Engine.allCases)
    func leeway(_ engine: Engine) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: { server async throws in
                let early = IdentityForge(.apple, standIn, server.clock)
                early.claims["iat"] = early.now + 60
                let reply1 = try await TokenEndpoint.appleBody.send(server, standIn, early.sign())
                #expect(reply1.status == 200)
                let late = IdentityForge(.apple, standIn, server.clock)
                late.claims["iat"] = late.now - 3_600
                late.claims["exp"] = late.now - 59
                let reply2 = try await TokenEndpoint.appleBody.send(server, standIn, late.sign())
                #expect(reply2.status == 200)
                let several = IdentityForge(.oidc, standIn, server.clock)
                several.claims["aud"] = ["client-2", "elsewhere"]
                several.claims["azp"] = "client-2"
                let reply3 = try await TokenEndpoint.oidcBody.send(server, standIn, several.sign())
                #expect(reply3.status == 200)
                let fractions = IdentityForge(.oidc, standIn, server.clock)
                fractions.claims["exp"] = Double(fractions.now) + 10.5
                let reply4 = try await TokenEndpoint.oidcBody.send(server, standIn, fractions.sign())
                #expect(reply4.status == 200)
            }
        }
    }

    @Test("a token for one endpoint is refused at the others, and Apple's is no bearer token", arguments: Engine.allCases)
    func crossed(_ engine: Engine) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) {
                $0.identities = IdentityForge.settings(standIn)
            } _: { server async throws in
                for endpoint in TokenEndpoint.allCases {
                    for other in IssuerStandIn.Issuer.allCases where other != endpoint.issuer {
                        // Both bearer issuers are accepted at every bearer endpoint.
                        if [.firebaseBearer, .oidcBearer].contains(endpoint), other != .apple { continue }
                        let token = try IdentityForge(other, standIn, server.clock).sign()
                        #expect(try await endpoint.send(server, standIn, token).status == 401, "\(other) at \(endpoint)")
                    }
                }
                let person = try await server.person()
                for endpoint in [TokenEndpoint.appleBody, .oidcBody, .firebaseBody] {
                    #expect(try await endpoint.send(server, standIn, person.token).status == 401, "our own at \(endpoint)")
                }
                let unsigned = IdentityForge(.firebase, standIn, server.clock)
                unsigned.claims["auth_time"] = nil
                let reply5 = try await TokenEndpoint.firebaseBearer.send(server, standIn, unsigned.sign())
                #expect(reply5.status == 401)
                #expect(try await server.identities() == 0)
            }
        }
    }

    @Test("without configured issuers, every identity token is refused", arguments: Engine.allCases)
    func notSetUp(_ engine: Engine) async throws {
        try await IssuerStandIn.run { standIn async throws in
            try await TestServer.run(engine) { server async throws in
                for endpoint in TokenEndpoint.allCases {
                    let answer = try await endpoint.send(server, standIn, try IdentityForge(endpoint.issuer, standIn, server.clock).sign())
                    #expect(answer.status == 401, "\(endpoint)")
                }
                #expect(try await server.accounts() == 0)
                #expect(standIn.requests.isEmpty)
            }
        }
    }
}
