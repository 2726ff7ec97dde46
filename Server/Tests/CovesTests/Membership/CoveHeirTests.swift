import AccountData
import Blobs
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import keepsake

@Suite("What the heirs of a deleted account's coves get", .blocksThreads)
struct CoveHeirTests {
    private static let pictures = RealFile.folder.appending(path: "../PlatformTests/Media/Fixtures")

    private static func blobCount(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.rows("SELECT key FROM blob").count }
    }

    @Test("of two heirs of coves with the same cover, one keeps it when the other one is deleted", arguments: StoragePair.allCases)
    func sameCover(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let sent = try Fixture.data("palette.png")
            let other = try await home.anotherCove("Other", by: ada)
            for cove in [home.cove, other] {
                let edited = try await home.post("/edit-cove", ["coveId": cove, "coverPhoto": sent.base64EncodedString()], as: ada)
                #expect(edited.status == 200)
            }
            let zoe = try await home.person("zoe")
            try await home.join(zoe, other)
            try await home.close(ada, keepCoves: true)
            try await server.waitUntilErased(ada.id)
            // Both heirs share the bytes of the cover, which belong to the heir with the larger id.
            let (last, first, cove) = zoe.id > bob.id ? (zoe, bob, home.cove) : (bob, zoe, other)
            let cover = try #require(try await home.details(as: first, cove).coverPhoto)
            let small = "\(cover.url)&w=64&h=64&fit=cover"
            #expect(try await server.send("GET", small).status == 200)
            try await server.settleCopies()
            #expect(try await server.storedCopyCount() == 1)

            try await home.close(last)
            try await server.waitUntilErased(last.id)
            #expect(try await home.details(as: first, cove).coverPhoto?.id == cover.id)
            #expect(try await server.send("GET", cover.url).body == sent)
            #expect(try await server.send("GET", small).status == 200)
            try await server.settleCopies()
            _ = try await server.backend.garbageCollector.reap(now: server.clock.now + .minutes(11))
            #expect(try await Self.blobCount(server) == 2)
            #expect(try await server.backend.audit.run().problems == [])
            _ = try await server.checkedUsage(of: first)

            try await home.close(first)
            try await server.waitUntilErased(first.id)
            #expect(try await Self.blobCount(server) == 0)
        }
    }

    @Test("an heir gets a cover with a position only as others saw it, and no cover if nobody saw it", arguments: StoragePair.allCases)
    func position(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let zoe = try await home.person("zoe")
            let (second, unseen) = (try await home.anotherCove("Second", by: ada), try await home.anotherCove("Unseen", by: ada))
            for (cove, person, name) in [
                (home.cove, nil, "position-exif.jpg"), (second, zoe, "position-exif.jpg"), (unseen, bob, "position-xmp.jpg"),
            ] as [(String, TestServer.Person?, String)] {
                let picture = try Data(contentsOf: Self.pictures.appending(path: name)).base64EncodedString()
                #expect(try await home.post("/edit-cove", ["coveId": cove, "coverPhoto": picture], as: ada).status == 200)
                if let person { try await home.join(person, cove) }
            }
            let before = try #require(try await home.details(as: bob).coverPhoto)
            let shown = try await server.send("GET", before.url)
            #expect(shown.status == 200)
            try await server.settleCopies()

            try await home.close(ada, keepCoves: true)
            try await server.waitUntilErased(ada.id)
            for (person, cove) in [(bob, home.cove), (zoe, second)] {
                let cover = try #require(try await home.details(as: person, cove).coverPhoto)
                #expect(try await server.send("GET", cover.url).body == shown.body)
                let original = try await server.send("GET", "/api/users/user/\(person.id)/multimedia/files/\(cover.id)", as: person)
                #expect(original.status == 200 && original.body == shown.body)
                for trace in ["GPS", "52,31", "Keepsake"] { #expect(original.body.range(of: Data(trace.utf8)) == nil, "\(trace)") }
                _ = try await server.checkedUsage(of: person)
            }
            let bare = try await home.details(as: bob, unseen)
            #expect(bare.isCreator && bare.coverPhoto == nil)
            // The two heirs share the bytes, and nothing else is left.
            _ = try await server.backend.garbageCollector.reap(now: server.clock.now + .minutes(11))
            #expect(try await Self.blobCount(server) == 1)
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    @Test("covers are given to heirs in steps, before the account is closed, and get neutral names", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (ada, bob, database) = (home.ada, home.bob, home.server.backend.database)
            let picture = try Fixture.data("palette.png").base64EncodedString()
            var coves = [home.cove]
            for number in 0..<CoveStore.coversAtOnce { coves.append(try await home.anotherCove("Cove \(number)", by: ada)) }
            for cove in coves {
                #expect(try await home.post("/edit-cove", ["coveId": cove, "coverPhoto": picture], as: ada).status == 200)
                if cove != home.cove { try await home.join(bob, cove) }
            }
            try await database.run("UPDATE media SET name = 'Ada at home.png' WHERE owner = \(ada.id)")
            func handed() async throws -> Int {
                try await database.read { tx in try tx.rows("SELECT id FROM cove WHERE cover_owner = \(bob.id)").count }
            }
            let store = home.server.backend.features[CovesFeature.self].store
            let next = try await database.write { tx in try store.handSomeCovers(of: ada.id, after: "", tx) }
            #expect(next == coves.sorted()[CoveStore.coversAtOnce - 1])
            #expect(try await handed() == CoveStore.coversAtOnce)
            for cove in coves { #expect(try await home.details(as: ada, cove).coverPhoto != nil) }
            // Closing the account hands over the last cover.
            try await home.close(ada, keepCoves: true)
            #expect(try await handed() == coves.count)
            for cove in coves {
                let details = try await home.details(as: bob, cove)
                #expect(details.isCreator && details.coverPhoto != nil)
            }
            let names: [String] = try await database.read { tx in
                try tx.list("SELECT name FROM media WHERE owner = \(bob.id)") { (row: inout RowReader) -> String in try row.next("name") }
            }
            #expect(names.count == coves.count && Set(names) == ["photo.png"], "\(names)")
            _ = try await home.server.checkedUsage(of: bob)
        }
    }

    @Test("covers that a closed account uploaded for others' coves vanish at once, and are dropped in steps", arguments: Engine.allCases)
    func othersCoves(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (ada, bob, database) = (home.ada, home.bob, home.server.backend.database)
            let picture = try Fixture.data("palette.png").base64EncodedString()
            var coves = [home.cove]
            for name in ["Second", "Third"] { coves.append(try await home.anotherCove(name, by: ada)) }
            for cove in coves {
                if cove != home.cove { try await home.join(bob, cove) }
                let role = try await home.post("/cove-role", ["coveId": cove, "userId": bob.id, "role": "ADMIN"], as: ada)
                let edited = try await home.post("/edit-cove", ["coveId": cove, "coverPhoto": picture], as: bob)
                #expect(role.status == 200 && edited.status == 200)
                #expect(try await home.details(as: ada, cove).coverPhoto != nil)
            }
            func covered() async throws -> Int {
                try await database.read { tx in try tx.rows("SELECT id FROM cove WHERE cover_owner = \(bob.id)").count }
            }
            // This does only what the write that closes the account does; no job follows.
            try await database.write { [features = home.server.backend.features] tx in
                for feature in features.all { try feature.hide(bob.id, .closed(keepsCoves: false), tx) }
            }
            #expect(try await covered() == coves.count)
            for cove in coves { #expect(try await home.details(as: ada, cove).coverPhoto == nil) }
            let listed = try await home.server.send("GET", "/user-coves", as: ada).decodeCoves(UserCoves.self).coves
            #expect(listed.count == coves.count && listed.allSatisfy { $0.coverPhoto == nil })

            let store = home.server.backend.features[CovesFeature.self].store
            var steps: [Int] = []
            repeat {
                steps.append(try await database.write { tx in try store.eraseSome(of: bob.id, limit: 2, tx) })
            } while steps.last != 0
            #expect(steps == [2, 1, 0])
            #expect(try await covered() == 0)
        }
    }

    @Test("the log of deletions says whether coves were kept", arguments: Engine.allCases)
    func log(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let begin = home.server.clock.now - .hours(1)
            try await home.close(home.ada, keepCoves: true)
            try await home.close(home.bob)
            let found = try await home.server.backend.features[AccountDataFeature.self].deletionLog.deletions(after: begin)
            let kept = Dictionary(uniqueKeysWithValues: found.map { ($0.hash, $0.keepsCoves) })
            #expect(kept == [DeletionLog.hash(home.ada.id): true, DeletionLog.hash(home.bob.id): false])
        }
    }

    @Test("deletions that a restore repeats keep coves as they did, in the order of their times", arguments: Engine.allCases)
    func repeated(_ engine: Engine) async throws {
        try await EventHome.run(StoragePair(engine)) { home in
            let (server, ada, bob) = (home.server, home.ada, home.bob)
            let zoe = try await home.person("zoe")
            // Ada gets the first of Bob's coves, and it ends with her account. Zoe gets the second one.
            let (ended, kept) = (try await home.anotherCove("Ended", by: bob), try await home.anotherCove("Kept", by: bob))
            try await home.join(ada, ended)
            server.clock.advance(by: .seconds(1))
            for cove in [ended, kept] { try await home.join(zoe, cove) }
            let now = server.clock.now
            let count = try await server.backend.features[AccountDataFeature.self].repeatDeletions([
                DeletionLog.Deletion(hash: DeletionLog.hash(ada.id), at: now + .seconds(2), keepsCoves: false),
                DeletionLog.Deletion(hash: DeletionLog.hash(bob.id), at: now + .seconds(1), keepsCoves: true),
            ])
            #expect(count == 2)
            #expect(try await home.details(as: zoe, kept).isCreator)
            #expect(try await server.send("GET", "/cove?coveId=\(ended)", as: zoe).status == 404)
        }
    }
}
