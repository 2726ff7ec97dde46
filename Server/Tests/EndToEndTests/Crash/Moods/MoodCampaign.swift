import Foundation
import TestKit

/// Kills and restarts the server while clients create moods. Every visible mood must be complete, and every acknowledged mood must be
/// visible.
struct MoodCampaign {
    let data: String
    private let stores: TestStores
    private let environment: [String: String]
    private(set) var report = Report()
    private var acknowledged: Set<String> = []
    /// The checked, complete moods, with the ids of their files.
    private var whole: [String: [String]] = [:]

    struct Report {
        var kills = 0
        var sent = 0
        var acknowledged = 0
        /// Moods that are visible although the server was killed before its response.
        var unacknowledged = 0
        /// Acknowledged moods that are missing.
        var lost: Set<String> = []
        /// Visible moods with a missing or extra file, or with different bytes.
        var half: Set<String> = []
        /// Files in the library that belong to no mood.
        var strays: Set<String> = []
        /// Files that were only partly received at a kill.
        var leftovers = 0
        /// The number of these files that still exist after the next start.
        var unswept = 0
        /// Files that were published before a kill, but whose rows were not yet written.
        var orphans = 0
        var refused: [String] = []
        var verifyFailures: [String] = []
        var slowestStart = Duration.zero

        var line: String {
            """
            \(kills) kills, \(sent) moods sent, \(acknowledged) acknowledged, \(unacknowledged) visible without; \(lost.count) lost, \
            \(half.count) half, \(strays.count) stray files; \(leftovers) leftovers and \(orphans) files without a row found, \(unswept) left; \
            slowest start \(slowestStart), \(verifyFailures.count) verify failures
            """
        }
    }

    init(data: String, _ pair: StoragePair = .embedded) throws {
        self.data = data
        stores = try TestStores(pair)
        environment = try stores.environment().merging(["KEEPSAKE_RATE_LIMITS": "off"]) { $1 }
    }

    mutating func run(kills: Int, progress: (Int) -> Void = { _ in }) async throws {
        var person = try issueToken()
        for round in 1...kills {
            // A token is valid for an hour, and a long campaign takes longer.
            if round % 50 == 0 { person = try issueToken() }
            let server = try start()
            // First checks the moods from before the previous kill.
            try await inspect(server, person)
            let load = MoodLoad(url: "http://127.0.0.1:\(server.port)", person: person)
            let working = Task { await load.run() }
            // Waits until zero, one or two moods exist, then kills the server at a random moment of the next one.
            let made = round % 3
            let patience = ContinuousClock.now + .seconds(60)
            while load.acknowledged.count < made, ContinuousClock.now < patience { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
            server.killNow()
            load.stop()
            await working.value
            report.kills += 1
            report.sent += load.sent
            report.leftovers += staged.count
            report.refused += load.refused
            acknowledged.formUnion(load.acknowledged)
            if round % 100 == 0 { try verify() }
            progress(round)
        }
        report.acknowledged = acknowledged.count
    }

    /// Checks every mood again, then waits until the sweep has deleted all files without a row.
    mutating func finish() async throws {
        try ageFiles()
        let server = try start()
        let person = try issueToken()
        whole = [:]
        try await inspect(server, person, everything: true)
        report.unacknowledged = whole.keys.filter { !acknowledged.contains($0) }.count
        try await findStrays(server, person)
        try await waitForSweep()
        _ = server.terminate()
        let left = try verify()
        if hasFolder { report.unswept += left }
    }

    /// Checks the moods that were not checked yet; with `everything`, all of them.
    mutating func inspect(_ server: ServerProcess, _ person: (id: String, token: String), everything: Bool = false) async throws {
        var seen: Set<String> = []
        try await pages("moods", server, person) { page in
            var isNew = everything
            for mood in page["moods"] as? [[String: Any]] ?? [] {
                guard let id = mood["id"] as? String else { continue }
                seen.insert(id)
                guard whole[id] == nil, !report.half.contains(id) else { continue }
                isNew = true
                if let files = try await files(of: mood, person) { whole[id] = files } else { report.half.insert(id) }
            }
            // The newest moods come first, so a page without new moods ends the search.
            return isNew
        }
        report.lost.formUnion(acknowledged.subtracting(everything ? seen : seen.union(whole.keys)))
    }

    /// - Returns: the ids of its files; `nil` unless they are exactly the files that the client sent.
    private func files(of mood: [String: Any], _ person: (id: String, token: String)) async throws -> [String]? {
        let hashes = (mood["note"] as? String ?? "").split(separator: ",").map(String.init)
        let links = (mood["imageUrls"] as? [String] ?? []) + [mood["voiceNote"] as? String].compactMap { $0 }
        guard hashes.count == 3, links.count == 3, mood["voiceNote"] is String else { return nil }
        for (link, hash) in zip(links, hashes) {
            let (status, bytes) = try await Load.get(link, person.token)
            if status != 200 || Load.hash(bytes) != hash { return nil }
        }
        return links.compactMap { URL(string: $0)?.lastPathComponent }
    }

    /// A file in the library without its mood also counts as an incomplete mood.
    private mutating func findStrays(_ server: ServerProcess, _ person: (id: String, token: String)) async throws {
        let known = Set(whole.values.flatMap(\.self))
        var strays: Set<String> = []
        try await pages("multimedia", server, person) { page in
            for file in page["files"] as? [[String: Any]] ?? [] {
                if let id = file["fileId"] as? String, !known.contains(id) { strays.insert(id) }
            }
            return true
        }
        report.strays = strays
    }

    private func pages(
        _ list: String, _ server: ServerProcess, _ person: (id: String, token: String), _ look: ([String: Any]) async throws -> Bool
    ) async throws {
        var cursor: String?
        repeat {
            let query = "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let (status, bytes) = try await Load.get(
                "http://127.0.0.1:\(server.port)/api/users/user/\(person.id)/\(list)\(query)", person.token)
            let page = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
            guard status == 200 else { throw ServerProcess.Failure.didNotListen(String(decoding: bytes, as: UTF8.self)) }
            guard try await look(page) else { return }
            cursor = (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil
    }

    // MARK: The program

    mutating func start() throws -> ServerProcess {
        let server = try ServerProcess(data: data, environment: environment)
        report.slowestStart = max(report.slowestStart, server.startTime)
        report.unswept += staged.count
        return server
    }

    func issueToken() throws -> (id: String, token: String) {
        let run = try ServerProcess.run(
            ["token", "--begin-installation", "--data", data, "--email", "moods@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return (id, token)
    }

    /// - Returns: the number of files without a row.
    @discardableResult
    mutating func verify() throws -> Int {
        let run = try ServerProcess.run(["verify", "--data", data], environment: environment)
        if run.status != 0 || !run.output.contains(" 0 problems;") { report.verifyFailures.append(run.output + run.errors) }
        return run.output.wholeMatch(of: /(?s).*; (\d+) files without a row\s*/).flatMap { Int($0.output.1) } ?? .max
    }

    // MARK: Its files

    /// Whether the files are in a folder. The age of objects cannot be changed, so the campaign does not wait for a sweep of objects.
    private var hasFolder: Bool { stores.pair == .embedded }

    /// Files that were staged but never published.
    private var staged: [String] {
        hasFolder ? (try? FileManager.default.contentsOfDirectory(atPath: data + "/blobs/tmp")) ?? ["?"] : []
    }

    /// Makes all files three days old: the sweep deletes files without a row after 48 hours.
    private mutating func ageFiles() throws {
        report.orphans = try verify()
        guard hasFolder else { return }
        let then = Date(timeIntervalSinceNow: -3 * 86_400)
        let all = FileManager.default.enumerator(at: URL(filePath: data + "/blobs"), includingPropertiesForKeys: [.isRegularFileKey])
        while let file = all?.nextObject() as? URL {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            try FileManager.default.setAttributes([.modificationDate: then], ofItemAtPath: file.path)
        }
    }

    /// Waits for the sweep with which the garbage collector starts.
    private mutating func waitForSweep() async throws {
        guard hasFolder else { return }
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(120)
        while clock.now < deadline, try verify() > 0 { try await Task.sleep(for: .milliseconds(100)) }
    }
}
