import AsyncHTTPClient
import Core
import Crypto
import Database
import Foundation
import KeepsakeWire
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit
import TestThreads
import Testing
import Web

@testable import AccountData
@testable import FeatureTestKit
@testable import keepsake

@Suite("Exporting an account", .blocksThreads)
struct ExportAccountTests {
    @Test("the archive holds every original, byte for byte, and every row of the account, and no secret", arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.full("ada", words: "Grüße/..\\aus Köln")
            _ = try await server.full("eve", words: "somebodyelse")
            let film = Film.bytes(3_000_000, isRandom: true)
            let upload = try await server.upload(.file("../../etc/film 🎬.mp4", film), as: ada.person)
            #expect(upload.status == 200)

            let answer = try await server.send("GET", "/auth/export", as: ada.person)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/zip")
            #expect(answer.header("Content-Disposition") == "attachment; filename=\"keepsake-2026-06-01.zip\"")
            #expect(answer.header("Cache-Control") == "no-store")
            let archive = try Unpacked(answer.body)

            // The archive has all files. Each file's name in it begins with the file's id.
            let media = try archive.rows("media")
            #expect(media.count == archive.files.count && media.count == 7)
            for row in media {
                let id = try #require(row["id"] as? String)
                let (name, bytes) = try #require(archive.files.first { $0.key.hasPrefix(id) })
                #expect(Hex.encode(SHA256.hash(data: bytes)) == row["sha256"] as? String, "\(name)")
                #expect(!name.contains("/") && !name.contains("\\"))
            }
            let film2 = archive.files.first { $0.key.hasSuffix("film 🎬.mp4") }
            #expect(film2?.value == film)
            // The archive has the rows of all registered tables as JSON.
            let registered = Set(Backend.personalTables.map(\.name))
            #expect(Set(archive.tables.keys) == registered)
            let moments = try archive.rows("moment")
            let mood = try #require(moments.first { $0["kind"] as? String == "mood" })
            #expect(mood["note"] as? String == "another note of Grüße/..\\aus Köln" && mood["mood"] as? String == "happy")
            #expect(mood["tags"] as? [String] == ["Grüße/..\\aus Köln", "b"])
            #expect((mood["created_at"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            let profile = try #require(try archive.rows("profile").first)
            #expect(profile["bio"] as? String == "Grüße/..\\aus Köln" && profile["interests"] as? [String] == ["Grüße/..\\aus Köln"])
            #expect(profile["latitude"] as? Double == 52.25 && profile["birthdate"] as? String == "2001-12-31T00:00:00.000000Z")
            #expect(try archive.rows("profile_photo").count == 1)
            let messages = try archive.rows("chat_message")
            #expect(messages.count == 2 && messages.first?["text"] as? String == "What is Grüße/..\\aus Köln?")
            #expect(try archive.rows("chat_conversation").count == 1)
            let chatFile = try #require(try archive.rows("chat_file").first)
            #expect(chatFile["id"] as? String == ada.chatFile.fileId && chatFile["text"] as? String == "A file of Grüße/..\\aus Köln.")
            #expect(try archive.rows("chat_message_file").first?["file"] as? String == ada.chatFile.fileId)
            let chatBytes = archive.files.first { $0.key.hasPrefix(ada.chatFile.fileId) }
            #expect(chatBytes?.value == Data("A file of Grüße/..\\aus Köln.".utf8))
            let account = try #require(try archive.rows("account").first)
            #expect(account["email"] as? String == "ada@example.org" && account["is_admin"] as? Bool == false)
            #expect(
                Set(account.keys) == [
                    "id", "email", "name", "is_admin", "is_pro", "created_at", "closed_at", "credential_set_at", "recovered_at", "phone",
                    "phone_proved_at", "verified_at", "suspended_at", "time_zone", "outside_engines",
                ])
            #expect(try archive.rows("session").count == 1 && archive.rows("event").count > 5 && archive.rows("media_variant").count == 1)
            // The archive contains no data of another account, no hash and no token.
            let all = archive.tables.values.map { String(decoding: $0, as: UTF8.self) }.joined()
            for secret in ["somebodyelse", "eve@example.org", "scrypt", ada.refreshToken, ada.person.token, "hash"] {
                #expect(!all.contains(secret), "\(secret)")
            }
        }
    }

    @Test("an account without data gets an archive too, and an export without a credential is refused", arguments: StoragePair.allCases)
    func empty(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let archive = try Unpacked(try await server.send("GET", "/auth/export", as: ada).body)
            #expect(archive.files.isEmpty)
            #expect(try archive.rows("moment").isEmpty && archive.rows("account").count == 1)
            #expect(try await server.send("GET", "/auth/export").status == 401)
            let head = try await server.send("HEAD", "/auth/export", as: ada)
            #expect(head.status == 200 && head.header("Content-Type") == "application/zip")
            // A HEAD request does not keep the account's export slot.
            #expect(try await server.send("GET", "/auth/export", as: ada).status == 200)
        }
    }

    /// Regression: while two accounts read their archives, the server refused a third one, and each refusal counted as one of its five
    /// exports.
    @Test(
        "one export per account at a time; clients that read slowly or not at all do not block other accounts, and a refusal costs nothing",
        arguments: StoragePair.allCases)
    func bounded(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.rateLimits = RateLimits() }) { server in
            var people: [TestServer.Person] = []
            for (number, name) in ["ada", "eve", "bob", "zoe"].enumerated() {
                let person = try await server.person(name)
                people.append(person)
                // The file is larger than what sockets and buffers hold, so an archive that is not read stays unfinished.
                let answer = try await server.upload(.file("a.mp4", Film.bytes(20_000_000 + number)), as: person)
                #expect(answer.status == 200)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (began, tellBegan) = AsyncStream.makeStream(of: Void.self)
                for person in people[0...2] {
                    group.addTask {
                        let held = try await server.begin(person)
                        #expect(held.status == 200)
                        tellBegan.yield()
                        // Stops reading until the task is cancelled.
                        try? await Task.sleep(for: .seconds(60))
                        withExtendedLifetime(held) {}
                    }
                }
                var iterator = began.makeAsyncIterator()
                for _ in 0..<3 { await iterator.next() }
                for _ in 0..<8 {
                    let again = try await server.send("GET", "/auth/export", as: people[0])
                    #expect(again.status == 429 && again.header("Retry-After").flatMap(Int.init) ?? 0 >= 5)
                }
                for _ in 0..<2 {
                    let last = try await server.send("GET", "/auth/export", as: people[3])
                    #expect(last.status == 200 && last.body.count > 20_000_000)
                }
                group.cancelAll()
            }
            // The clients disconnected: their slots are free again, and the refusals cost nothing.
            for person in people {
                try await server.wait { try await server.send("GET", "/auth/export", as: person).status == 200 }
            }
        }
    }

    @Test("archives are limited per network and in total, with a reserve; a slot is free again when its export ends")
    func slots() throws {
        let turns = ArchiveTurns()
        var slots: [ArchiveTurns.Slot] = []
        // 192.0.2.0/24; each IPv4 address counts as a network of its own.
        func network(_ number: Int) -> Network { Network(ipv4: 0xC000_0200 + UInt32(number)) }
        func refusal(_ account: String, _ number: Int?) -> Problem.Kind? {
            do {
                _ = try turns.begin(account, network: number.map(network))
                return nil
            } catch {
                return (error as? Problem)?.kind
            }
        }
        for number in 0..<8 { slots.append(try turns.begin("a\(number)", network: network(1))) }
        #expect(refusal("a0", 2) == .tooManyRequests)
        #expect(refusal("b", 1) == .tooManyRequests && refusal("b", 2) == nil)
        for number in 8..<48 { slots.append(try turns.begin("a\(number)", network: network(1 + number / 8))) }
        // The other slots are for networks that have no open archive.
        #expect(refusal("b", nil) == .unavailable)
        for number in 48..<64 {
            slots.append(try turns.begin("a\(number)", network: network(number)))
            #expect(refusal("b", number) == .unavailable)
        }
        #expect(refusal("b", 100) == .unavailable && turns.count == 64)
        slots.removeLast()
        #expect(refusal("b", 1) == .tooManyRequests && refusal("b", 7) == nil)
        slots = []
        #expect(turns.count == 0)
    }

    @Test("all networks of an IPv6 site have the archives of one network")
    func site() throws {
        let turns = ArchiveTurns()
        // Eight /64 networks of 2001:db8:1::/48.
        let slots = try (0..<8 as Range<UInt64>).map { try turns.begin("a\($0)", network: Network(ipv6: 0x2001_0DB8_0001_0000 + $0)) }
        #expect(throws: Problem.self) { try turns.begin("b", network: Network(ipv6: 0x2001_0DB8_0001_FFFF)) }
        #expect(throws: Never.self) { try turns.begin("b", network: Network(ipv6: 0x2001_0DB8_0002_0000)) }
        withExtendedLifetime(slots) {}
    }

    private final class Count: Sendable {
        private let state = Mutex((now: 0, most: 0))

        var most: Int { state.withLock { $0.most } }
        func enter() { state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
        func leave() { state.withLock { $0.now -= 1 } }
    }

    @Test("accounts take turns to produce pieces of their archives, two at a time")
    func pieces() async throws {
        let turns = ArchiveTurns()
        let count = Count()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let slot = try turns.begin("a\(number)", network: nil)
                    for _ in 0..<20 {
                        try await slot.making {
                            count.enter()
                            try await Task.sleep(for: .microseconds(200))
                            count.leave()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(count.most == ArchiveTurns.limit)
    }

    private final class Order: Sendable {
        private let state = Mutex<[String]>([])

        var names: [String] { state.withLock { $0 } }
        func add(_ name: String) { state.withLock { $0.append(name) } }
    }

    @Test("networks take turns to produce pieces, so eight archives of a network delay another network's by one turn")
    func pieceNetworks() async throws {
        let turns = ArchiveTurns()
        let order = Order()
        // Both turns are taken until all others wait.
        var taken: [FairSemaphore.Permit] = []
        for number in 0..<ArchiveTurns.limit {
            taken.append(
                try await turns.pieces.turn(Requester(account: "taken\(number)", network: Network(ipv4: 0xC000_0300 + UInt32(number)))))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (account, number) in (0..<16).map({ ("a\($0)", $0 / 8) }) + [("b", 2)] {
                let slot = try turns.begin(account, network: Network(ipv4: 0xC000_0200 + UInt32(number)))
                let waiting = turns.pieces.counts.waiting
                group.addTask { try await slot.making { order.add(account) } }
                while turns.pieces.counts.waiting == waiting { try await Task.sleep(for: .milliseconds(1)) }
            }
            taken = []
            try await group.waitForAll()
        }
        // Before it are one archive of each of the other networks, and one more because two are made at a time.
        let place = try #require(order.names.firstIndex(of: "b"))
        #expect(place < 4, "\(order.names)")
    }

    @Test("an account may export five times in a row, then once a minute", arguments: StoragePair.allCases)
    func rated(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.rateLimits = RateLimits() }) { server in
            let ada = try await server.person()
            var statuses: [Int] = []
            for _ in 0..<6 { statuses.append(try await server.send("GET", "/auth/export", as: ada).status) }
            #expect(statuses == [200, 200, 200, 200, 200, 429])
            server.clock.advance(by: .minutes(1))
            #expect(try await server.send("GET", "/auth/export", as: ada).status == 200)
        }
    }
}

/// A response whose body is not read.
struct HeldAnswer: Sendable {
    let status: Int
    fileprivate let response: HTTPClientResponse

    /// Reads the body to its end.
    /// - Returns: its length in bytes.
    /// - Throws: when the server closes the connection before the end.
    func rest() async throws -> Int { try await response.body.collect(upTo: 100_000_000).readableBytes }
}

extension TestServer {
    func begin(_ person: Person) async throws -> HeldAnswer {
        var request = HTTPClientRequest(url: url + "/auth/export")
        request.headers.add(name: person.bearer.0, value: person.bearer.1)
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(120))
        return HeldAnswer(status: Int(response.status.code), response: response)
    }
}

/// The contents of an archive, extracted by another program.
struct Unpacked {
    /// The extracted files by name, without the folder.
    private(set) var files: [String: Data] = [:]
    private(set) var tables: [String: Data] = [:]

    init(_ archive: Data) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.zip"
        try archive.write(to: URL(filePath: path))
        try Tool.run("unzip", ["-tqq", path])
        try Tool.run("python3", ["-m", "zipfile", "-e", path, folder.path + "/out"])
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/out/data") {
            tables[String(name.dropLast(".json".count))] = try Data(contentsOf: URL(filePath: folder.path + "/out/data/" + name))
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/out/files")) ?? [] {
            files[name] = try Data(contentsOf: URL(filePath: folder.path + "/out/files/" + name))
        }
    }

    func rows(_ table: String) throws -> [[String: Any]] {
        try #require(JSONSerialization.jsonObject(with: tables[table] ?? Data()) as? [[String: Any]])
    }
}
