import Accounts
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Two nodes on one database. Each has its own copy of the keys and its own cache of verified tokens.
@Suite("Tokens on two nodes", .blocksThreads)
struct TokensOnTwoNodesTests {
    private func run(_ test: @escaping @Sendable (TestServer, TestServer) async throws -> Void) async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock) { two in try await test(one, two) }
        }
    }

    private static let refreshPath = "/auth/refresh"

    private func body(_ token: String) -> Data { Data(#"{"refresh_token":"\#(token)"}"#.utf8) }

    private func refresh(_ token: String, on server: TestServer) async throws -> AuthToken? {
        let answer = try await server.send(
            "POST", Self.refreshPath, headers: [("Content-Type", "application/json")], body: body(token))
        guard answer.status == 200 else {
            #expect(answer.status == 401, "\(answer.text)")
            return nil
        }
        return try Surface.capsules.makeDecoder().decode(AuthToken.self, from: answer.body)
    }

    private func isGood(_ token: AuthToken, on server: TestServer) async throws -> Bool {
        let status = try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token.accessToken)")]).status
        #expect([200, 401].contains(status))
        return status == 200
    }

    private func signIn(_ server: TestServer) async throws -> AuthToken {
        let issued = try await server.backend.accounts.issueToken(email: "ada@example.org", isAdmin: false)
        return AuthToken(accessToken: issued.accessToken, refreshToken: issued.refreshToken, expiresAt: issued.expiresAt)
    }

    @Test func `an answer that was lost is given again by the other node, and signs nobody out`() async throws {
        try await run { one, two in
            var token = try await signIn(one)
            for round in 0..<4 {
                let (first, second) = round % 2 == 0 ? (one, two) : (two, one)
                // The request arrives, but the client disconnects before the response.
                let connection = try RawConnection(port: first.port)
                let body = body(token.refreshToken)
                try connection.send(
                    "POST \(Self.refreshPath) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
                )
                try connection.send(body)
                let rotated = token.refreshToken
                for _ in 0..<400 {
                    let used = try await first.backend.database.read { tx in
                        try tx.row("SELECT COUNT(*) AS n FROM refresh_token WHERE used_at IS NOT NULL")?.get("n", as: Int.self)
                    }
                    if used == round + 1 { break }
                    try await Task.sleep(for: .milliseconds(10))
                }
                connection.close()
                first.clock.advance(by: .seconds(9))
                let again = try #require(try await refresh(rotated, on: second))
                #expect(again.refreshToken != rotated)
                let third = try #require(try await refresh(rotated, on: first))
                #expect(third.refreshToken == again.refreshToken)
                for answer in [again, third] {
                    for node in [one, two] {
                        let isGood = try await isGood(answer, on: node)
                        #expect(isGood)
                    }
                }
                token = again
                first.clock.advance(by: .minutes(10))
            }
        }
    }

    @Test func `a stolen token used on one node is found out on the other, and ends everything of that family on both`() async throws {
        try await run { one, two in
            let owner = try await signIn(one)
            let tablet = try await signIn(two)
            let socket = try WebSocketClient(
                port: two.port, path: "/ws/events", headers: [("Authorization", "Bearer \(owner.accessToken)")])
            var thief = try #require(try await refresh(owner.refreshToken, on: two))
            one.clock.advance(by: .minutes(5))
            thief = try #require(try await refresh(thief.refreshToken, on: one))
            for node in [one, two] {
                let isGood = try await isGood(thief, on: node)
                #expect(isGood)
            }
            // The owner presents the token that the thief has already used.
            #expect(try await refresh(owner.refreshToken, on: two) == nil)
            for token in [owner, thief] {
                for node in [one, two] {
                    let isGood = try await isGood(token, on: node)
                    #expect(!isGood)
                    #expect(try await refresh(token.refreshToken, on: node) == nil)
                }
            }
            #expect(try socket.nextClose().closeCode == 1_008)
            let stays = try await isGood(tablet, on: one)
            #expect(stays)
            #expect(try await refresh(tablet.refreshToken, on: one) != nil)
        }
    }

    @Test func `presented on both nodes at once it has one successor, and never ends its family`() async throws {
        try await run { one, two in
            var token = try await signIn(one)
            for _ in 0..<5 {
                let presented = token.refreshToken
                let answers = try await withThrowingTaskGroup(of: AuthToken?.self) { group in
                    for number in 0..<16 { group.addTask { try await refresh(presented, on: number % 2 == 0 ? one : two) } }
                    return try await group.reduce(into: [AuthToken?]()) { $0.append($1) }
                }
                #expect(answers.count == 16 && !answers.contains(nil))
                #expect(Set(answers.compactMap { $0?.refreshToken }).count == 1)
                token = try #require(answers[0])
                one.clock.advance(by: .minutes(1))
            }
            let ended = try await one.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NOT NULL")?.get("n", as: Int.self)
            }
            #expect(ended == 0)
        }
    }
}
