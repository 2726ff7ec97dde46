import Foundation
import TestKit
import TestThreads
import Testing

@Suite("keepsake backup and restore", .blocksThreads)
struct BackupCommandTests {
    /// A mood's note contains the hashes of its files, see `SentMood`. The backup is restored into the stores of `pair`; its source uses
    /// the other pair. A backup for the shared pair is in a bucket, one for the embedded pair in a folder.
    @Test(
        "a backup under load, killed at first, is restored by the other pair: what was acknowledged before it is there, nothing is half",
        arguments: StoragePair.allCases)
    func underLoad(_ pair: StoragePair) async throws {
        let folder = try TemporaryFolder()
        let sourceStores = try TestStores(pair == .shared ? StoragePair.embedded : .shared)
        let settings = try self.settings(sourceStores)
        let data = folder.path + "/a"
        let server = try ServerProcess(data: data, environment: settings)
        let person = try token(data, settings)
        let load = MoodLoad(url: "http://127.0.0.1:\(server.port)", person: person)
        let working = Task { await load.run() }
        try await wait { load.acknowledged.count >= 10 }
        let bucket = try pair == .shared ? TestBucket() : nil
        let place = bucket?.environment["KEEPSAKE_BLOBS"] ?? folder.path + "/backup"
        let backup = Command(arguments: ["backup", place, "--data", data], environment: settings)
        for milliseconds in [150, 400] { _ = try backup.runAndKill(after: .milliseconds(milliseconds)) }
        // A killed run's lock is valid for ten minutes, so the test deletes it.
        if let bucket { try await bucket.delete("busy") } else { try? FileManager.default.removeItem(atPath: place + "/busy") }
        let before = load.acknowledged
        #expect(try backup.run().contains(/; new: \d+ files? with [0-9.]+ MB\n/))
        let after = load.acknowledged
        try await wait { load.acknowledged.count >= after.count + 5 }
        load.stop()
        await working.value
        #expect(server.terminate() == 0)
        #expect(load.refused == [])
        // `prune` also deletes what the killed runs left in the backup.
        let pruned = try Command(arguments: ["backup", "prune", place, "--keep", "30d"], environment: settings).run()
        #expect(pruned.hasPrefix("kept 1 snapshot; deleted 0 snapshots and "), "\(pruned)")
        let verified = try Command(arguments: ["backup", "verify", place], environment: settings).run()
        #expect(verified.contains(/files?, [0-9.]+ MB checked; 0 problems/), "\(verified)")
        #expect(try Command(arguments: ["backup", "list", place], environment: settings).run().split(separator: "\n").count == 2)

        // The first run of the restore is killed, too.
        let stores = try TestStores(pair)
        let restored = folder.path + "/b"
        let target = try self.settings(stores)
        let restore = Command(arguments: ["restore", place, "--data", restored], environment: target)
        _ = try restore.runAndKill(after: .milliseconds(500))
        try restore.run()
        let again = try ServerProcess(data: restored, environment: target)
        let owner = try token(restored, target)
        #expect(owner.id == person.id)
        var campaign = try MoodCampaign(data: restored)
        try await campaign.inspect(again, owner, everything: true)
        #expect(campaign.report.half.isEmpty)
        let found = try await moods(again, owner)
        #expect(before.subtracting(found).isEmpty, "acknowledged before the backup began")
        #expect(found.isSubset(of: load.acknowledged) || found.count <= load.sent)
        #expect(again.terminate() == 0)
        #expect(try Command(arguments: ["verify", "--data", restored], environment: target).run().contains(" 0 problems;"))
        // A restore into an installation that is in use is refused, and changes nothing.
        let refused = try ServerProcess.run(["restore", place, "--data", restored], environment: target)
        #expect(refused.status == 64 && refused.errors.contains("not empty"), "\(refused.errors)")
        withExtendedLifetime((sourceStores, stores, bucket)) {}
    }

    @Test("a restore from a place without a backup creates nothing, and root is refused in an empty folder of another user")
    func mistypedPlace() throws {
        let folder = try TemporaryFolder()
        for place in ["missing", "empty"] {
            let path = "\(folder.path)/\(place)"
            if place == "empty" { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
            let run = try ServerProcess.run(["restore", path, "--data", folder.path + "/data"])
            #expect(run.status == 64 && run.errors.contains("There is no backup in"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/data"))
        }
        guard geteuid() == 0 else { return }
        let (data, backup) = (folder.path + "/one", folder.path + "/backup")
        let server = try ServerProcess(data: data)
        #expect(server.terminate() == 0)
        try Command(arguments: ["backup", backup, "--data", data]).run()
        let foreign = folder.path + "/foreign"
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false, attributes: [.ownerAccountID: 65_534])
        let run = try ServerProcess.run(["restore", backup, "--data", foreign])
        #expect(run.status == 69 && run.errors.contains("root may not run this"), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: foreign) == [])
        // A refused backup leaves no folder: the right user's next backup could not write to it, because it would belong to root.
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: data + "/keepsake.sqlite")
        let refused = try ServerProcess.run(["backup", folder.path + "/new", "--data", data])
        #expect(refused.status == 69 && refused.errors.contains("root may not run this"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"))
    }

    @Test("a backup without one file and with a damaged one is restored with --without-damaged: the server starts, and verify names both")
    func withoutDamaged() async throws {
        let folder = try TemporaryFolder()
        let (data, place, restored) = (folder.path + "/a", folder.path + "/backup", folder.path + "/b")
        let server = try ServerProcess(data: data)
        let load = Load(url: "http://127.0.0.1:\(server.port)", person: try token(data, [:]))
        let working = Task { await load.run() }
        try await wait { load.acknowledged.count >= 4 }
        load.stop()
        await working.value
        #expect(server.terminate() == 0)
        try Command(arguments: ["backup", place, "--data", data]).run()
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: place + "/blobs").filter { $0.count > 40 }.sorted()
        try #require(blobs.count >= 4)
        let keys = blobs.prefix(2).map { String($0.suffix(40)) }
        try FileManager.default.removeItem(atPath: "\(place)/blobs/\(blobs[0])")
        try Data("x".utf8).write(to: URL(filePath: "\(place)/blobs/\(blobs[1])"))

        let restore = ["restore", place, "--data", restored]
        let refused = try ServerProcess.run(restore)
        #expect(refused.status == 70 && refused.errors.contains("--without-damaged"), "\(refused.errors)")
        #expect(try ServerProcess.run(["serve", "--port", "0", "--log", "critical", "--data", restored]).status == 69)
        // The server refuses commands that write, because the rest of the restore would discard their rows.
        let writing = [["token", "--email", "eve@example.org"], ["invite"], ["users", "list"]]
        for command in [["doctor"], ["verify"], ["backup", folder.path + "/of-half"]] + writing {
            let run = try ServerProcess.run(command + ["--data", restored])
            #expect(run.status == 69, "\(command): \(run.output)\(run.errors)")
            #expect((run.output + run.errors).contains("a restore of a backup has not finished"), "\(command): \(run.output)\(run.errors)")
            #expect(!run.output.contains("Problem("), "\(command): \(run.output)")
        }
        let output = try Command(arguments: restore + ["--without-damaged"]).run()
        for key in keys { #expect(output.contains("not restored: \(key)\n"), "\(output)") }
        #expect(output.contains("2 files missing or damaged in the backup"), "\(output)")
        // The repeated restore keeps a row that was written meanwhile, and does not count files that the backup lacks as restored.
        try Command(arguments: ["token", "--email", "eve@example.org", "--data", restored]).run()
        let repeated = try ServerProcess.run(restore)
        #expect(repeated.status == 70 && repeated.output.contains("its rows stay as they are now; 0 missing files restored"))
        for key in keys { #expect(repeated.output.contains("not restored: \(key)\n"), "\(repeated.output)") }
        #expect(try Command(arguments: ["users", "list", "--data", restored]).run().contains("eve@example.org"))
        let again = try ServerProcess(data: restored)
        #expect(again.terminate() == 0)
        let verified = try ServerProcess.run(["verify", "--data", restored])
        #expect(verified.status == 70 && verified.output.contains(" 2 problems;"), "\(verified.output)")
        for key in keys { #expect(verified.output.contains("damaged: \(key)"), "\(verified.output)") }
        // A restore into a store that has files is refused, because those would become files without a row.
        let mixed = try ServerProcess.run(["restore", place, "--data", folder.path + "/c", "--blobs", "file:" + data])
        #expect(mixed.status == 64 && mixed.errors.contains("store has files already"), "\(mixed.errors)")
    }

    @Test(
        "verify, backup and doctor name a file that the user may not read, its owner and what to do, and do not call it damaged",
        .enabled(if: geteuid() == 0, "needs root to switch users"))
    func filesOfRoot() async throws {
        let folder = try TemporaryFolder()
        let (data, user) = (folder.path + "/data", UInt32(65_534))
        let server = try ServerProcess(data: data)
        let load = Load(url: "http://127.0.0.1:\(server.port)", person: try token(data, [:]))
        let working = Task { await load.run() }
        try await wait { load.acknowledged.count >= 2 }
        load.stop()
        await working.value
        #expect(server.terminate() == 0)
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: data + "/blobs").filter { $0.count > 40 }.sorted()
        let file = "\(data)/blobs/\(try #require(blobs.first))"
        for path in [folder.path, data] + (try FileManager.default.subpathsOfDirectory(atPath: data)).map({ "\(data)/\($0)" })
        where path != file { chown(path, user, user) }
        let become = ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", ServerProcess.binary]
        for command in [["verify"], ["backup", folder.path + "/backup"], ["doctor"]] {
            // First root owns the single file, then its folder.
            for path in [file, String(file.dropLast(41))] {
                chown(path, 0, 0)
                chmod(path, path == file ? 0o600 : 0o700)
                let run = try ServerProcess.run(become + command + ["--data", data], binary: "/usr/bin/setpriv")
                let text = run.output + run.errors
                #expect(run.status == 69, "\(command): \(text)")
                #expect(text.contains("may not read and write \(path), which belongs to root; "), "\(command): \(text)")
                #expect(!text.contains("damaged") && !text.contains("bring them back"), "\(command): \(text)")
                if path != file { chown(path, user, user) }
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("the list of snapshots marks one that lacks a damaged file, and one whose description is damaged, and shows the others")
    func list() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let (data, place) = (folder.path + "/a", folder.path + "/backup")
        let server = try ServerProcess(data: data)
        let load = Load(url: "http://127.0.0.1:\(server.port)", person: try token(data, [:]))
        let working = Task { await load.run() }
        try await wait { load.acknowledged.count >= 2 }
        load.stop()
        await working.value
        #expect(server.terminate() == 0)
        let blobs = try FileManager.default.subpathsOfDirectory(atPath: data + "/blobs").filter { $0.count > 40 }
        let blob = data + "/blobs/" + (try #require(blobs.first))
        let bytes = try Data(contentsOf: URL(filePath: blob))
        try FileManager.default.removeItem(atPath: blob)
        #expect(try ServerProcess.run(["backup", place, "--data", data]).status == 70)
        try bytes.write(to: URL(filePath: blob))
        // A snapshot's id begins with the second in which it was made, and the list is in the order of the ids.
        try await Task.sleep(for: .milliseconds(1_100))
        try Command(arguments: ["backup", place, "--data", data]).run()
        func rows() throws -> [Substring] {
            Array(try Command(arguments: ["backup", "list", place]).run().split(separator: "\n").dropFirst())
        }
        let marked = try rows()
        #expect(marked.count == 2 && marked[0].hasSuffix("  without 1 damaged file") && marked[1].hasSuffix("  complete"), "\(marked)")

        // Scripts may pass the same settings file to every command.
        let config = folder.path + "/settings.yaml"
        try "link_days: 3\n".write(toFile: config, atomically: true, encoding: .utf8)
        for arguments in [["list", place], ["verify", place], ["prune", place, "--keep", "30d"]] {
            let read = try ServerProcess.run(["backup"] + arguments + ["--config", config])
            // The first snapshot lacks a damaged file.
            #expect(read.status == (arguments[0] == "verify" ? 70 : 0), "\(read.errors)")
            let run = try ServerProcess.run(["backup"] + arguments + ["--config", config + ".none"])
            #expect(run.status == 64 && run.errors.contains("there is no such file"), "\(run.errors)")
        }

        let id = try #require(marked.first?.split(separator: " ").first)
        try Data("x".utf8).write(to: URL(filePath: "\(place)/snapshots/\(id)/snapshot"))
        let unusable = try rows()
        #expect(unusable.first?.hasPrefix("\(id) ") == true && unusable.first?.hasSuffix("  unusable: its description is damaged") == true)
        #expect(unusable.last == marked.last, "\(unusable)")
    }

    /// The settings of an installation on these stores. The embedded pair needs no addresses, because its stores are in the data folder.
    private func settings(_ stores: TestStores) throws -> [String: String] {
        var settings = CopyCampaign.Place.keys.merging(["KEEPSAKE_RATE_LIMITS": "off"]) { $1 }
        guard stores.pair == .shared else { return settings }
        settings["KEEPSAKE_DATABASE"] = try stores.address()
        settings.merge(try stores.objects().environment) { $1 }
        return settings
    }

    @Test("wrong uses are refused in one line: no backup there, another kind of folder, a missing source")
    func refusals() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/letters", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: folder.path + "/letters/a"))
        _ = try token(folder.path + "/a", [:])
        for (arguments, words) in [
            (["backup", "verify", folder.path + "/none"], "no backup"),
            (["backup", folder.path + "/letters", "--data", folder.path + "/a"], "not empty"),
            (["backup", "s3://x", "--data", folder.path + "/a"], "bucket"),
            (["backup", folder.path + "/a/backups", "--data", folder.path + "/a"], "the place for backups"),
            (
                [
                    "copy", "--from-database", "sqlite:\(folder.path)/no.sqlite", "--from-blobs", "file:\(folder.path)/n", "--to-database",
                    "sqlite:\(folder.path)/t.sqlite", "--to-blobs", "file:\(folder.path)/t",
                ], "no installation"
            ),
            (
                ["copy", "--from-database", "x", "--from-blobs", "y", "--to-database", "z", "--to-blobs", "w"],
                "--from-database must look like"
            ),
        ] {
            let run = try ServerProcess.run(arguments)
            #expect(run.status == 64 && run.errors.contains(words), "\(arguments): \(run.status) \(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
        }
    }

    @Test("each run of a copy says what to do next: after the last one, to rename the source before the target starts")
    func next() throws {
        let folder = try TemporaryFolder()
        let (source, target) = (folder.path + "/a", folder.path + "/b")
        _ = try token(source, [:])
        let arguments = [
            "copy", "--from-database", "sqlite:\(source)/keepsake.sqlite", "--from-blobs", "file:\(source)", "--to-database",
            "sqlite:\(target)/keepsake.sqlite", "--to-blobs", "file:\(target)", "--work", folder.path + "/work",
        ]
        let first = try Command(arguments: arguments + ["--prepare"], environment: [:]).run()
        #expect(first.contains("Next: stop every node of the source") && !first.contains("KEEPSAKE_DATABASE"), "\(first)")
        let last = try Command(arguments: arguments, environment: [:]).run()
        for words in ["KEEPSAKE_DATABASE and KEEPSAKE_BLOBS", "2. Keep the source stopped, and rename", "3. Start the nodes"] {
            #expect(last.contains(words), "\(last)")
        }
    }

    private func token(_ data: String, _ environment: [String: String]) throws -> (id: String, token: String) {
        let output = try Command(
            arguments: ["token", "--begin-installation", "--data", data, "--email", "backup@example.org", "--json"],
            environment: environment
        ).run()
        let json = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw Command.Failed(description: output) }
        return (id, token)
    }

    private func moods(_ server: ServerProcess, _ person: (id: String, token: String)) async throws -> Set<String> {
        var found: Set<String> = []
        var cursor: String?
        repeat {
            let query = "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let (_, bytes) = try await Load.get("http://127.0.0.1:\(server.port)/api/users/user/\(person.id)/moods\(query)", person.token)
            let page = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
            found.formUnion((page["moods"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String })
            cursor = (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil
        return found
    }

    private func wait(_ isDone: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !isDone() {
            guard ContinuousClock.now < deadline else { throw Command.Failed(description: "the moods did not arrive in time") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
