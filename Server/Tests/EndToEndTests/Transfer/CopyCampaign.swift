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
            Self.keys.merging(["KEEPSAKE_DATABASE": database, "KEEPSAKE_BLOBS": blobs, "KEEPSAKE_RATE_LIMITS": "off"]) { $1 }
        }
    }

    struct Report {
        var moods = 0
        var kills = 0
        /// What the last runs in each direction said.
        var said: [String] = []
        var differences: [String] = []
        var verifyFailures: [String] = []
        /// From the start of the last run of the copy until it ended, with everything copied before.
        var finalStop = Duration.zero

        var line: String {
            "\(moods) moods, \(kills) kills; last run \(finalStop); \(differences.count) differences, \(verifyFailures.count) verify failures"
        }
    }

    let folder: String
    private(set) var report = Report()

    /// An address in the text form that settings have.
    static func text(_ address: S3Address) -> String {
        "s3://\(address.bucket)?endpoint=\(address.endpoint)&region=\(address.region)&prefix=\(address.prefix.dropLast())"
    }

    /// - Parameters:
    ///   - moods: how many to create before the first copy.
    ///   - kills: of each copy, in each direction.
    mutating func run(moods: Int, kills: Int, progress: (Int) -> Void = { _ in }) async throws {
        let stores = try TestStores(.postgres)
        let first = Place(database: "sqlite:\(folder)/a/keepsake.sqlite", blobs: "file:\(folder)/a")
        let second = Place(database: try stores.address(), blobs: Self.text(try CephService.everybodys()))
        let third = Place(database: "sqlite:\(folder)/c/keepsake.sqlite", blobs: "file:\(folder)/c")
        let server = try ServerProcess(data: folder + "/a", environment: first.settings)
        let person = try token(first, "a")
        try await create(moods, at: server, person)
        report.moods = moods

        // While it is served, and killed again and again.
        let preparation = copy(first, second, isLast: false)
        try kill(preparation, kills)
        try preparation.run()
        let early = try? copy(first, second, isLast: true).run()
        if early != nil { report.differences.append("a served source was copied for the last time") }
        try await create(moods / 20 + 5, at: server, person)
        report.moods += moods / 20 + 5
        _ = server.terminate()
        progress(1)

        // The stop.
        let clock = ContinuousClock()
        let start = clock.now
        report.said.append(try copy(first, second, isLast: true).run())
        report.finalStop = clock.now - start
        try await compare(first, second, "b")
        progress(2)

        // It is served, changes, and is copied back.
        let copied = try ServerProcess(data: folder + "/b", environment: second.settings)
        try await create(5, at: copied, try token(second, "b"))
        report.moods += 5
        _ = copied.terminate()
        let back = copy(second, third, isLast: true)
        try kill(back, kills)
        report.said.append(try back.run())
        try await compare(second, third, "c")
        progress(3)
        withExtendedLifetime(stores) {}
    }

    private mutating func kill(_ command: Command, _ kills: Int) throws {
        var longest = Duration.milliseconds(400)
        for _ in 0..<kills {
            if try command.runAndKill(after: .milliseconds(Int.random(in: 100...Int(longest / .milliseconds(1))))) {
                report.kills += 1
                // Later kills come later, so that they also hit later steps.
                longest += .milliseconds(300)
            } else {
                longest = .milliseconds(400)
            }
        }
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
            arguments: ["token", "--data", "\(folder)/\(data)", "--email", "copy@example.org", "--json"], environment: place.settings
        ).run()
        let json = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw Command.Failed(description: output) }
        return (id, token)
    }

    private func create(_ count: Int, at server: ServerProcess, _ person: (id: String, token: String)) async throws {
        let load = MoodLoad(url: "http://127.0.0.1:\(server.port)", person: person)
        let working = Task { await load.run() }
        let patience = ContinuousClock.now + .seconds(60 + count / 4)
        while load.acknowledged.count < count, ContinuousClock.now < patience { try await Task.sleep(for: .milliseconds(20)) }
        load.stop()
        await working.value
        guard load.acknowledged.count >= count else {
            throw Command.Failed(description: "only \(load.acknowledged.count) of \(count) moods: \(load.refused.prefix(3))")
        }
    }

    // MARK: Comparing

    /// All rows of all tables, and by `verify` all bytes.
    private mutating func compare(_ one: Place, _ other: Place, _ data: String) async throws {
        let (left, right) = (try await open(one), try await open(other))
        for table in try await Backend.tableRules.tables(of: left) {
            let statements = table.statements
            let positions = table.keyPositions
            var last: [SQLValue]?
            while true {
                let pages = try await [left, right].asyncMap { [last] database in
                    try await database.read { tx in try tx.rows(statements.rows(after: last, limit: 200)).map(\.values) }
                }
                if pages[0] != pages[1] {
                    report.differences.append("\(table.name) after \(last.map { "\($0)" } ?? "the beginning")")
                    break
                }
                guard pages[0].count == 200, let end = pages[0].last else { break }
                last = positions.map { end[$0] }
            }
        }
        try await left.close()
        try await right.close()
        let verify = try ServerProcess.run(["verify", "--data", "\(folder)/\(data)"], environment: other.settings)
        if verify.status != 0 || !verify.output.contains(" 0 problems;") { report.verifyFailures.append(verify.output + verify.errors) }
    }

    private func open(_ place: Place) async throws -> any Database {
        guard let address = DatabaseAddress(place.database) else { throw Command.Failed(description: "not an address") }
        return try await address.open(connections: 2)
    }
}

extension Array {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var result: [T] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
