import Blobs
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import MediaTools
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Films as browsers play them", .blocksThreads)
struct FilmPlaybackTests {
    private func upload(_ name: String, _ content: Data, _ server: TestServer, as person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file(name, content), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        return try answer.decode(UploadResponse.self).files[0].data
    }

    private func hevc(seconds: Double = 0.5, size: String = "320x180") throws -> Data {
        let folder = try TemporaryFolder()
        return try FilmMaker.hevc(folder.path + "/film.mp4", seconds: seconds, size: size)
    }

    /// Waits until the film is no longer being converted. Returns the server's answer.
    private func played(_ file: FileData, _ server: TestServer) async throws -> TestServer.Answer {
        var answer = try await server.send("GET", file.url + "&play=1")
        try await eventually {
            if answer.status == 409 {
                try await Task.sleep(for: .milliseconds(50))
                answer = try await server.send("GET", file.url + "&play=1")
            }
            return answer.status != 409
        }
        return answer
    }

    private func playback(_ file: FileData, _ server: TestServer) async throws -> String? {
        try await server.backend.database.read { tx in
            try tx.row("SELECT playback FROM media WHERE id = \(file.fileId)")?.get("playback", as: String?.self) ?? nil
        }
    }

    /// The number of jobs that convert films, in any state.
    private func jobCount(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM job WHERE kind = \(ConvertFilm.kind)")!.get("n", as: Int.self)
        }
    }

    private func liveBlobCount(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in
            try tx.row("SELECT COUNT(*) AS n FROM blob WHERE state = 'live'")!.get("n", as: Int.self)
        }
    }

    @Test(
        "an HEVC film gets a copy in H.264 and AAC without a position; its poster is there at once, and the original stays as sent",
        arguments: StoragePair.allCases)
    func converted(_ pair: StoragePair) async throws {
        let film = try hevc()
        #expect(film.range(of: Data("+52.5163".utf8)) != nil, "its control")
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let file = try await upload("lake.mov", film, server, as: ada)
            let first = try await server.send("GET", file.url + "&play=1")
            #expect(first.status == 409 || first.status == 200)
            if first.status == 409 {
                #expect(first.header("Retry-After") == "5")
                #expect(try first.decode(MultimediaErrorBody.self).details == "The film is being converted. Try again later.")
            }
            #expect(try await server.send("GET", file.url + "&w=64&format=jpeg").status == 200)

            let copy = try await played(file, server)
            #expect(copy.status == 200 && copy.header("Content-Type") == "video/mp4", "\(copy.text.prefix(300))")
            #expect(copy.header("Content-Disposition")?.contains("lake.mp4") == true)
            let folder = try TemporaryFolder()
            let probed = try FilmMaker.probe(copy.body, in: folder.path)
            #expect(probed["video"] == "h264 High yuv420p 320 180 30/1" && probed["audio"] == "aac LC 2", "\(probed)")
            for trace in ["52.5163", "Ada's phone"] { #expect(copy.body.range(of: Data(trace.utf8)) == nil, "\(trace)") }
            #expect(try await server.send("GET", file.url).body == film)

            let tag = try #require(copy.header("ETag"))
            let part = try await server.send("GET", file.url + "&play=1", headers: [("Range", "bytes=100-199"), ("If-Range", tag)])
            #expect(part.status == 206 && part.body == copy.body[100..<200])
            #expect(part.header("Content-Range") == "bytes 100-199/\(copy.body.count)")
            #expect(try await server.send("GET", file.url + "&play=1", headers: [("If-None-Match", tag)]).status == 304)
            let head = try await server.send("HEAD", file.url + "&play=1")
            #expect(head.status == 200 && head.header("Content-Length") == "\(copy.body.count)")

            let path = String(file.appUrl.dropFirst(server.url.count)) + "?play=1"
            #expect(try await server.send("GET", path, as: ada).body == copy.body)
            #expect(try await server.send("GET", path).status == 401)
            #expect(try await server.send("GET", path, as: eve).status == 403)
            #expect(try await server.send("GET", path.replacing(ada.id, with: eve.id), as: eve).status == 404)

            // A second file with the same bytes shares the copy. It does not count against the quota.
            let twin = try await upload("again.mov", film, server, as: ada)
            #expect(try await server.send("GET", twin.url + "&play=1").body == copy.body)
            #expect(try await server.checkedUsage(of: ada).fileBytes == Int64(2 * film.count))
            try await server.settleCopies()
            #expect(try await server.storedCopyCount() == 2, "the poster and the copy")

            try await eventually { try await jobCount(server) == 0 }
            for one in [file, twin] {
                #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(one.fileId)", as: ada).status == 200)
                #expect(try await server.send("GET", one.url + "&play=1").status == 404)
            }
            server.clock.advance(by: .minutes(11))
            #expect(try await server.backend.audit.run().problems == [])
            #expect(try await liveBlobCount(server) == 0)
        }
    }

    @Test("a film that browsers play, and a picture, are served as they are, and nothing is converted", arguments: StoragePair.allCases)
    func asTheyAre(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (name, playback) in [("moov-last.mp4", "original"), ("branded.mov", "original"), ("photo.jpg", nil)] as [(String, String?)]
            {
                let file = try await upload(name, try Fixture.data(name), server, as: ada)
                #expect(try await self.playback(file, server) == playback, "\(name)")
                #expect(try await server.send("GET", file.url + "&play=1").body == Fixture.data(name), "\(name)")
                for (query, field) in [("play=2", "play"), ("play=0", "play"), ("play=x", "play"), ("play=1&w=64", "play")] {
                    let answer = try await server.send("GET", "\(file.url)&\(query)")
                    #expect(answer.status == 400, "\(query)")
                    #expect(try answer.decode(MultimediaErrorBody.self).details.contains(field), "\(answer.text)")
                }
            }
            #expect(try await jobCount(server) == 0)
            #expect(try await server.storedCopyCount() == 0)
        }
    }

    @Test("a damaged film and one that exceeds a limit are 422, once and for all", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        let bytes = try FilmMaker.damaged(hevc())
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("damaged.mp4", bytes, server, as: ada)
            let answer = try await played(file, server)
            #expect(answer.status == 422 && answer.text.contains("The film is damaged"), "\(answer.text)")
            // This file names no codec, so no job tries to convert it.
            let noise = try await upload("noise.mp4", Film.bytes(20_000), server, as: ada)
            #expect(try await playback(noise, server) == nil)
            #expect(try await server.send("GET", noise.url + "&play=1").status == 422)
            #expect(try await playback(noise, server) == "damaged")
            #expect(try await jobCount(server) == 0)
            #expect(try await server.send("GET", file.url).body == bytes)
        }
        // The converter enforces these limits and does not depend on the stores, so one pair is enough.
        guard pair == StoragePair.allCases.first else { return }
        for (limit, film) in [("time", try FilmMaker.long()), ("bytes", try hevc())] {
            try await TestServer.run(
                pair,
                {
                    if limit == "time" { $0.filmTime = .milliseconds(100) } else { $0.films.byteCount = 4_000 }
                }
            ) { server in
                let ada = try await server.person()
                let file = try await upload("long.mov", film, server, as: ada)
                let answer = try await played(file, server)
                #expect(answer.status == 422 && answer.text.contains("too long"), "\(limit): \(answer.text)")
                try await eventually { try await jobCount(server) == 0 }
                #expect(try await playback(file, server) == "beyond-limits")
                #expect(try await server.storedFileCount() == 1)
            }
        }
    }

    @Test("deleting a film, or its account, during the conversion ends it and leaves nothing", arguments: StoragePair.allCases)
    func deleted(_ pair: StoragePair) async throws {
        let film = try FilmMaker.long()
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("long.mov", film, server, as: ada)
            let other = try await upload("short.mp4", try hevc(), server, as: ada)
            try await eventually { try await self.isRunning(server) }
            #expect(try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada).status == 200)
            // The server then converts the account's next film.
            #expect(try await played(other, server).status == 200)
            #expect(try await server.storedCopyCount() == 1)
            try await eventually { try await jobCount(server) == 0 }
            // The deleted original keeps its bytes for ten minutes.
            #expect(try await server.storedFileCount() == 3)
            server.clock.advance(by: .minutes(11))
            #expect(try await server.backend.audit.run().problems == [])

            // Deleting an account needs a sign-in within the last ten minutes.
            let (again, bob) = (try await server.person(), try await server.person("bob"))
            _ = try await upload("long.mov", film, server, as: bob)
            try await eventually { try await self.isRunning(server) }
            #expect(try await server.send("POST", "/auth/delete", as: bob).status == 200)
            try await eventually { try await server.rowCounts(of: bob.id) == [:] }
            try await eventually { try await jobCount(server) == 0 }
            #expect(try await server.send("POST", "/auth/delete", as: again).status == 200)
            try await eventually { try await server.rowCounts(of: ada.id) == [:] }
            try await eventually { try await server.storedFileCount() == 0 }
            #expect(try await server.backend.audit.run().problems == [])
        }
    }

    private func isRunning(_ server: TestServer) async throws -> Bool {
        try await server.backend.database.read { tx in
            try tx.row("SELECT id FROM job WHERE kind = \(ConvertFilm.kind) AND state = 'running'") != nil
        }
    }

    @Test("accounts take turns: one film of the second account does not wait for all of the first one's", arguments: StoragePair.allCases)
    func turns(_ pair: StoragePair) async throws {
        let films = FilmMaker.copies(of: try hevc(seconds: 0.9), 4)
        try await TestServer.run(pair) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            var crowd: [FileData] = []
            // Jobs start in the order in which they were enqueued, by the clock.
            for film in films {
                crowd.append(try await upload("film.mp4", film, server, as: ada))
                server.clock.advance(by: .seconds(1))
            }
            let one = try await upload("film.mp4", films[0], server, as: bob)
            server.clock.advance(by: .seconds(1))
            #expect(try await jobCount(server) <= 2, "one for each account")
            #expect(try await played(one, server).status == 200)
            #expect(try await ["waiting", "converting"].contains(playback(crowd[3], server)))
            for file in crowd { #expect(try await played(file, server).status == 200) }
        }
    }

    @Test(
        "a film from before the server read codecs is converted at its first request, and a missing job is enqueued again",
        arguments: StoragePair.allCases)
    func older(_ pair: StoragePair) async throws {
        let film = try hevc()
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await upload("film.mp4", film, server, as: ada)
            #expect(try await played(file, server).status == 200)
            func forget(_ playback: String?) async throws {
                try await eventually { try await jobCount(server) == 0 }
                try await server.backend.database.write { tx in
                    try tx.run("DELETE FROM media_variant")
                    try tx.run("UPDATE media SET playback = \(playback)")
                }
            }
            try await forget(nil)
            #expect(try await server.send("GET", file.url + "&play=1").status == 409)
            #expect(try await played(file, server).status == 200)
            for state in ["waiting", "converting"] {
                try await forget(state)
                try await server.backend.media.store.resumeConversions()
                #expect(try await played(file, server).status == 200, "\(state)")
            }
        }
    }

    @Test("a server that converts no films says so, and starts with them when it does again")
    func off() async throws {
        let film = try hevc()
        let stores = try TestStores(.shared, tables: "server")
        let clock = TestClock()
        let (ada, path) = try await TestServer.run(.shared, on: stores, clock: clock, { $0.features[MediaFeature.filmMinutes] = 0 }) {
            server in
            let ada = try await server.person()
            let file = try await upload("film.mp4", film, server, as: ada)
            let answer = try await server.send("GET", file.url + "&play=1")
            #expect(answer.status == 422 && answer.text.contains("does not convert films"), "\(answer.text)")
            #expect(try await jobCount(server) == 0)
            return (ada, String(file.appUrl.dropFirst(server.url.count)) + "?play=1")
        }
        try await TestServer.run(.shared, on: stores, clock: clock) { server in
            try await eventually { try await server.send("GET", path, as: ada).status == 200 }
        }
    }

    @Test("the queries of the queue use their index", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: TestServer.newTables) { server in
            for sql in [
                MediaStore.first(.waiting, of: "o"), MediaStore.idleOwners(limit: 100),
                MediaStore.all(.converting, after: ("o", TimeKey(at: Timestamp(seconds: 1), id: "m")), limit: 100),
            ] {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(plan.uses("media_by_playback") && plan.faults.isEmpty, "\(plan)")
            }
        }
    }
}
