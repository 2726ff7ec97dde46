import Core
import Database
import DatabaseEngines
import Foundation
import S3Blobs
import TestKit
import Transfer

@testable import keepsake

/// Copies an installation from SQLite and files to PostgreSQL and S3 and back, while the copies are killed.
struct CopyCampaign {
    /// A database and a store.
    struct Place {
        let database: String
        let blobs: String

        static let keys = [
            "AWS_ACCESS_KEY_ID": CephService.credentials.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": CephService.credentials.secretAccessKey.exposed,
        ]

        /// The settings of a server or a command on this place.
        var settings: [String: String] {
            Self.keys.merging([
                "KEEPSAKE_DATABASE": database, "KEEPSAKE_BLOBS": blobs, "KEEPSAKE_RATE_LIMITS": "off",
                // All moods belong to one account, and the default is 10 GB.
                "KEEPSAKE_QUOTA_MB": "20480",
            ]) { $1 }
        }
    }

    struct Report {
        var moods = 0
        /// The size of the moods' files.
        var byteCount = 0
        /// Kills of copies to PostgreSQL and S3, and of copies back.
        var killsThere = 0
        var killsBack = 0
        /// What the last runs in each direction said.
        var said: [String] = []
        var differences: [String] = []
        var verifyFailures: [String] = []
        /// How long a copy of everything takes, calculated from that of a twentieth.
        var wholeCopy = Duration.zero
        /// How long the last run of the copy took. Earlier runs had copied all but a hundredth of the moods.
        var finalStop = Duration.zero
        /// The most memory that a copy of a twentieth of the moods took, and the most that any copy took.
        var samplePeakByteCount = 0
        var peakByteCount = 0

        var line: String {
            "\(moods) moods, \(byteCount) bytes of files, \(killsThere) kills there, \(killsBack) kills back; whole copy \(wholeCopy), last run \(finalStop); at most \(peakByteCount / 1_048_576) MB of memory, \(samplePeakByteCount / 1_048_576) MB for a twentieth; \(differences.count) differences, \(verifyFailures.count) verify failures"
        }
    }

    let folder: String
    let lines: CampaignLines
    private(set) var report = Report()

    /// Sizes of the photos of moods that requests create. A mood with two of these photos and a voice note has 100 KB on average.
    private static let photoSizes = [100, 3_000, 60_000, 105_000]
    /// The number of rows of each side that are compared at a time.
    private static let comparedCount = 1_000

    init(folder: String, lines: CampaignLines) {
        self.folder = folder
        self.lines = lines
    }

    /// An address in the text form that settings have.
    static func text(_ address: S3Address) -> String {
        "s3://\(address.bucket)?endpoint=\(address.endpoint)&region=\(address.region)&prefix=\(address.prefix.dropLast())"
    }

    /// - Parameters:
    ///   - moods: how many to store before the copies that are killed; at least 20.
    ///   - kills: how many copies to kill in each direction.
    ///   - bucket: the target of the first copy.
    mutating func run(moods: Int, kills: Int, bucket: S3Address) async throws {
        let stores = try TestStores(.postgres)
        let first = Place(database: "sqlite:\(folder)/a/keepsake.sqlite", blobs: "file:\(folder)/a")
        let second = Place(database: try stores.address(), blobs: Self.text(bucket))
        let third = Place(database: "sqlite:\(folder)/c/keepsake.sqlite", blobs: "file:\(folder)/c")
        let preparation = copy(first, second, isLast: false)
        try await measure(preparation, first, "a", moods: moods)
        let server = try ServerProcess(data: folder + "/a", environment: first.settings)
        let source = Source(server: server, place: first, data: "a")

        // A server uses the source while the copies run and are killed again and again.
        let whole = report.wholeCopy
        let killsThere = try await kill(preparation, kills, "killed copy", expected: whole, source, moods: 2 + moods / 1_000)
        report.killsThere = killsThere
        lines.begin("copy until the end")
        try run(preparation)
        let early = try? copy(first, second, isLast: true).run()
        if early != nil { report.differences.append("a served source was copied for the last time") }
        try await create(5 + moods / 100, source)
        _ = server.terminate()

        lines.begin("last copy")
        let last = try run(copy(first, second, isLast: true))
        report.said.append(last.output)
        report.finalStop = last.time
        try await compare(first, second, "b")

        // A server serves the copy and changes it. Then it is copied back.
        let copied = try ServerProcess(data: folder + "/b", environment: second.settings)
        try await create(5, Source(server: copied, place: second, data: "b"))
        _ = copied.terminate()
        let back = copy(second, third, isLast: true)
        let killsBack = try await kill(back, kills, "killed copy back", expected: whole)
        report.killsBack = killsBack
        lines.begin("copy back until the end")
        let lastBack = try run(back)
        report.said.append(lastBack.output)
        try await compare(second, third, "c")
        withExtendedLifetime(stores) {}
    }

    /// An installation and the server that uses it.
    private struct Source {
        let server: ServerProcess
        let place: Place
        /// The name of the server's data folder.
        let data: String
    }

    /// Copies no moods, then a twentieth of them, and calculates how long a copy of all takes; then stores the others. No server runs
    /// meanwhile.
    private mutating func measure(_ command: Command, _ place: Place, _ data: String, moods: Int) async throws {
        lines.begin("copy without moods")
        var stored = StoredMoods(folder: "\(folder)/\(data)", account: try token(place, data).id)
        let empty = try run(command)
        try await store(moods / 20, &stored, place)
        lines.begin("copy of a twentieth")
        let sample = try run(command)
        report.samplePeakByteCount = sample.peakByteCount
        report.wholeCopy = empty.time + max(.zero, sample.time - empty.time) * 20
        try await store(moods - moods / 20, &stored, place)
        report.moods += stored.count
        report.byteCount += stored.byteCount
    }

    private func store(_ count: Int, _ stored: inout StoredMoods, _ place: Place) async throws {
        lines.begin("\(count) stored moods")
        let database = try await open(place)
        try await stored.add(count, to: database) { [lines] in lines.show("\($0)") }
        try await database.close()
    }

    /// Kills runs at moments that are spread over the time that a run takes, so that every phase is hit. The first runs copy everything and
    /// continue one another; the later ones copy what changed.
    /// - Parameters:
    ///   - expected: how long the first run takes.
    ///   - source: gets new moods after each kill, so that every run has something to copy.
    /// - Returns: how many were killed.
    private mutating func kill(
        _ command: Command, _ kills: Int, _ phase: String, expected: Duration, _ source: Source? = nil, moods: Int = 0
    ) async throws -> Int {
        var expected = expected
        var killed = 0
        for attempt in 1...kills * 4 where killed < kills {
            lines.begin("\(phase), run \(attempt), \(killed) of \(kills) killed")
            let moment = expected * ((Double(killed) + Double.random(in: 0..<1)) / Double(kills))
            let ended = try run(command, killingAfter: max(.milliseconds(50), moment))
            if ended.wasKilled {
                killed += 1
                if let source { try await create(moods, source) }
            } else {
                // The run had less to do than expected, and ended before the kill. The next run has at most as much to do, so its kill is
                // timed by this run.
                expected = ended.time
            }
        }
        return killed
    }

    /// - Throws: when the command fails. It must succeed even if earlier runs were killed.
    @discardableResult
    private mutating func run(_ command: Command, killingAfter time: Duration? = nil) throws -> Command.Run {
        let ended = try command.watch(killingAfter: time) { [lines] elapsed, peak in
            lines.show("\(elapsed.components.seconds) s, \(peak / 1_048_576) MB of memory")
        }
        report.peakByteCount = max(report.peakByteCount, ended.peakByteCount)
        // A killed run leaves a file with all rows. Later runs delete it only after a day, and forty such files would fill the disk.
        try? FileManager.default.removeItem(atPath: folder + "/work")
        guard ended.wasKilled || ended.status == 0 else { throw Command.Failed(description: "copy: \(ended.status) \(ended.output)") }
        return ended
    }

    private func copy(_ from: Place, _ to: Place, isLast: Bool) -> Command {
        var environment = Place.keys
        environment["KEEPSAKE_FROM_DATABASE"] = from.database
        environment["KEEPSAKE_FROM_BLOBS"] = from.blobs
        environment["KEEPSAKE_TO_DATABASE"] = to.database
        environment["KEEPSAKE_TO_BLOBS"] = to.blobs
        return Command(arguments: ["copy", "--work", folder + "/work"] + (isLast ? [] : ["--prepare"]), environment: environment)
    }

    private func token(_ place: Place, _ data: String) throws -> (id: String, token: String) {
        let output = try Command(
            arguments: ["token", "--begin-installation", "--data", "\(folder)/\(data)", "--email", "copy@example.org", "--json"],
            environment: place.settings
        ).run()
        let json = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw Command.Failed(description: output) }
        return (id, token)
    }

    private mutating func create(_ count: Int, _ source: Source) async throws {
        lines.begin("\(count) new moods")
        var created = 0
        while created < count {
            // A token is valid for only an hour, and creating all moods takes longer.
            let portion = min(5_000, count - created)
            let load = MoodLoad(
                url: "http://127.0.0.1:\(source.server.port)", person: try token(source.place, source.data), photoSizes: Self.photoSizes)
            let hasEnded = Guarded(false)
            let working = Task {
                await load.run()
                hasEnded.withLock { $0 = true }
            }
            let patience = ContinuousClock.now + .seconds(60 + portion / 4)
            // The load ends early if a request fails.
            while load.acknowledgedCount < portion, !hasEnded.value, ContinuousClock.now < patience {
                try await Task.sleep(for: .milliseconds(20))
                lines.show("\(created + load.acknowledgedCount)")
            }
            load.stop()
            await working.value
            guard load.acknowledgedCount >= portion else {
                throw Command.Failed(description: "only \(load.acknowledgedCount) of \(portion) moods: \(load.refused.prefix(3))")
            }
            created += load.acknowledgedCount
            report.byteCount += load.acknowledgedByteCount
        }
        report.moods += created
    }

    // MARK: Comparing

    /// Compares all rows of all tables, and checks all bytes with `verify`.
    private mutating func compare(_ one: Place, _ other: Place, _ data: String) async throws {
        lines.begin("compare rows")
        let (left, right) = (try await open(one), try await open(other))
        for table in try await Backend.tableRules.tables(of: left) {
            let statements = table.statements
            let positions = table.keyPositions
            var last: [SQLValue]?
            var count = 0
            while true {
                let statement = statements.rows(after: last, limit: Self.comparedCount)
                async let mine = Self.rows(statement, of: left)
                async let theirs = Self.rows(statement, of: right)
                let page = try await mine
                if try await theirs != page {
                    report.differences.append("\(table.name) after \(last.map { "\($0)" } ?? "the beginning")")
                    break
                }
                count += page.count
                lines.show("\(table.name), \(count) rows")
                guard page.count == Self.comparedCount, let end = page.last else { break }
                last = positions.map { end[$0] }
            }
        }
        try await left.close()
        try await right.close()
        lines.begin("verify files")
        let verify = try Command(arguments: ["verify", "--data", "\(folder)/\(data)"], environment: other.settings).watch {
            [lines] elapsed, _ in
            lines.show("\(elapsed.components.seconds) s")
        }
        if verify.status != 0 || !verify.output.contains(" 0 problems;") { report.verifyFailures.append(verify.output) }
    }

    private static func rows(_ statement: SQL, of database: any Database) async throws -> [[SQLValue]] {
        try await database.read { tx in try tx.rows(statement).map(\.values) }
    }

    private func open(_ place: Place) async throws -> any Database {
        guard let address = DatabaseAddress(place.database) else { throw Command.Failed(description: "not an address") }
        return try await address.open(connections: 2)
    }
}
