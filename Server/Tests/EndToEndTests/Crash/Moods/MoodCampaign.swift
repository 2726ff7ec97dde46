import Foundation
import TestKit

/// Moods are being made when the server is killed; it comes up again, and every mood that can be seen must be whole, and every one that
/// was acknowledged must be seen.
struct MoodCampaign {
    let data: String
    let environment = ["KEEPSAKE_RATE_LIMITS": "off"]
    private(set) var report = Report()
    private var acknowledged: Set<String> = []
    /// Looked at and found whole, with the ids of their files.
    private var whole: [String: [String]] = [:]

    struct Report {
        var kills = 0
        var sent = 0
        var acknowledged = 0
        /// Visible although the server was killed before it could answer.
        var unacknowledged = 0
        /// Acknowledged, and then not there.
        var lost: Set<String> = []
        /// Visible with a file too few or too many, or with other bytes.
        var half: Set<String> = []
        /// In the library, but of no mood.
        var strays: Set<String> = []
        /// Files a kill left half received.
        var leftovers = 0
        /// Of those, the ones still there after the start that followed.
        var unswept = 0
        /// Files that lay in their place when the kill came before their rows.
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

    init(data: String) { self.data = data }

    mutating func run(kills: Int, progress: (Int) -> Void = { _ in }) async throws {
        var person = try issueToken()
        for round in 1...kills {
            // A token is good for an hour; a long campaign outlives it.
            if round % 50 == 0 { person = try issueToken() }
            let server = try start()
            // What the kill before left is looked at first.
            try await inspect(server, person)
            let load = MoodLoad(url: "http://127.0.0.1:\(server.port)", person: person)
            let working = Task { await load.run() }
            // After none, one or two were made, however long that takes here, and then at any moment of the next.
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

    /// Everything is looked at once more, and what nobody refers to is taken away.
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
        report.unswept += try verify()
    }

    /// Moods that were not looked at yet; with `everything`, all.
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
            // The newest come first.
            return isNew
        }
        report.lost.formUnion(acknowledged.subtracting(everything ? seen : seen.union(whole.keys)))
    }

    /// - Returns: the ids of its files, `nil` unless they are exactly those its maker sent.
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

    /// A picture that is in the library without its mood is half a mood too.
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
        let run = try ServerProcess.run(["token", "--data", data, "--email", "moods@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return (id, token)
    }

    /// - Returns: how many files have no row.
    @discardableResult
    mutating func verify() throws -> Int {
        let run = try ServerProcess.run(["verify", "--data", data], environment: environment)
        if run.status != 0 || !run.output.contains(" 0 problems;") { report.verifyFailures.append(run.output + run.errors) }
        return run.output.wholeMatch(of: /(?s).*; (\d+) files without a row\s*/).flatMap { Int($0.output.1) } ?? .max
    }

    // MARK: Its files

    /// Staged and never published.
    private var staged: [String] { (try? FileManager.default.contentsOfDirectory(atPath: data + "/blobs/tmp")) ?? ["?"] }

    /// Three days pass: what has no row is swept after 48 hours.
    private mutating func ageFiles() throws {
        report.orphans = try verify()
        let then = Date(timeIntervalSinceNow: -3 * 86_400)
        let all = FileManager.default.enumerator(at: URL(filePath: data + "/blobs"), includingPropertiesForKeys: [.isRegularFileKey])
        while let file = all?.nextObject() as? URL {
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            try FileManager.default.setAttributes([.modificationDate: then], ofItemAtPath: file.path)
        }
    }

    /// The garbage collector begins with a sweep.
    private mutating func waitForSweep() async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(120)
        while clock.now < deadline, try verify() > 0 { try await Task.sleep(for: .milliseconds(100)) }
    }
}
