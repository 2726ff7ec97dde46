import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// `make campaign NAME=sockets` opens 10,000 sockets at once, other runs 500.
@Suite("Campaign: sockets", .blocksThreads)
struct SocketCampaignTests {
    @Test("open sockets cost little, receive events at once, and are closed before the server stops", arguments: [Engine.sqlite])
    func crowd(_ engine: Engine) async throws {
        guard CampaignScale.runs("sockets") else { return }
        let count = CampaignScale.isFull("sockets") ? 10_000 : 500
        OpenFiles.raiseLimit()
        let installation = try Installation(StoragePair(engine))
        let server = try installation.node("one")
        // Each account may have at most 20 sockets per node.
        let people = try installation.people(count / 20)
        let warmth = try await SocketCrowd(20, port: server.port, path: "/ws/events?since=0", tokens: [people[0].token])
        await warmth.close()
        try await open(0, server)

        let before = try server.residentByteCount()
        let opening = ContinuousClock.now
        let crowd = try await SocketCrowd(count, port: server.port, path: "/ws/events?since=0", tokens: people.map(\.token))
        let opened = ContinuousClock.now - opening
        try await Task.sleep(for: .seconds(1))
        let each = (try server.residentByteCount() - before) / count
        try await open(count, server)

        // Sends one event to each of twenty sockets, while all the others are idle.
        let began = ContinuousClock.now
        try await upload(people[0], server)
        #expect(await crowd.wait(seconds: 30) { $0.frames >= 20 })
        let told = ContinuousClock.now - began
        #expect(crowd.current.frames == 20)

        let processor = try server.processorSeconds()
        let idle = CampaignScale.isFull("sockets") ? 30 : 1
        try await Task.sleep(for: .seconds(idle))
        let share = (try server.processorSeconds() - processor) / Double(idle) * 100
        let stopping = ContinuousClock.now
        let status = server.terminate()
        let stopped = ContinuousClock.now - stopping
        #expect(status == 0)
        #expect(await crowd.wait(seconds: 30) { $0.closed == count })
        print(
            """
            sockets campaign, \(engine): \(count) sockets open in \(opened), \(each) bytes each; idle they cost \
            \((share * 10).rounded() / 10) % of a processor; 20 of them told after \(told); all closed and the server gone in \(stopped)
            """)
        // With few sockets the allocator's reserve dominates, so the small form only checks that no socket holds a buffer.
        #expect(each <= (CampaignScale.isFull("sockets") ? 40 : 128) * 1_024)
        // The service group would stop waiting after ten seconds.
        #expect(stopped < .seconds(10))
        await crowd.close()
    }

    private func upload(_ person: CampaignPerson, _ server: ServerProcess) async throws {
        let body = MultipartBody.file("a.jpg", Data(try RealFile.bytes("photo.jpg")))
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(person.library)/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        let status = try await campaignClient.execute(request, timeout: .seconds(30)).status.code
        #expect(status == 200)
    }

    /// Waits until the server's metric shows `count` sockets.
    private func open(_ count: Int, _ server: ServerProcess) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try await metric("keepsake_sockets", server) != count {
            try #require(ContinuousClock.now < deadline, "never \(count) sockets")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func metric(_ name: String, _ server: ServerProcess) async throws -> Int? {
        let answer = try await campaignClient.execute(
            HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/metrics"), timeout: .seconds(30))
        let page = String(buffer: try await answer.body.collect(upTo: 1_048_576))
        return page.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }
}
