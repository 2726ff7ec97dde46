import AsyncHTTPClient
import Core
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

/// Uploads run, the server is brought down in the middle, comes up again, and everything it had acknowledged must be there.
struct CrashCampaign {
    /// Brings the server and its disk down, and the disk up again.
    let crash: (ServerProcess) throws -> Void
    /// The data folder, on whatever disk is about to crash.
    let data: String
    var environment: [String: String] = [:]

    struct Report {
        var rounds = 0
        var acknowledged = 0
        /// Acknowledged, and then missing or different.
        var lostPaths: Set<String> = []
        var lost: Int { lostPaths.count }
        /// Listed, but its bytes cannot be read whole.
        var halfFiles = 0
        var slowestStart = Duration.zero
        var verifyFailures: [String] = []

        var line: String {
            "\(rounds) crashes, \(acknowledged) files acknowledged, \(lost) lost, \(halfFiles) half files, slowest start \(slowestStart), \(verifyFailures.count) verify failures"
        }
    }

    private struct Acknowledged: Sendable {
        let path: String
        let sha256: String
    }

    mutating func run(rounds: Int, progress: (Int) -> Void = { _ in }) async throws -> Report {
        var report = Report()
        var all: [Acknowledged] = []
        var lastCount = 0
        var person = try issueToken()
        for round in 0..<rounds {
            // A token is good for an hour; a long campaign outlives it.
            if round % 50 == 49 { person = try issueToken() }
            let server = try ServerProcess(data: data, environment: environment)
            report.slowestStart = max(report.slowestStart, server.startTime)
            // What the crash before left is looked at first.
            try await check(all.suffix(lastCount), server, person, &report)
            let load = Load(url: "http://127.0.0.1:\(server.port)", person: person)
            let working = Task { await load.run() }
            try await Task.sleep(for: .milliseconds(Int.random(in: 60...450)))
            try crash(server)
            load.stop()
            await working.value
            let made = load.acknowledged.map { Acknowledged(path: $0.0, sha256: $0.1) }
            lastCount = made.count
            all += made
            report.rounds += 1
            report.acknowledged += made.count
            if round % 20 == 19 || round == rounds - 1 { try verify(&report) }
            progress(round + 1)
        }
        let server = try ServerProcess(data: data, environment: environment)
        try await check(all[...], server, issueToken(), &report)
        try await checkList(server, person, &report)
        _ = server.terminate()
        try verify(&report)
        return report
    }

    private func issueToken() throws -> (id: String, token: String) {
        let run = try ServerProcess.run(["token", "--data", data, "--email", "crash@example.org", "--json"], environment: environment)
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        guard let id = json["user_id"], let token = json["access_token"] else { throw ServerProcess.Failure.didNotListen(run.errors) }
        return (id, token)
    }

    private func verify(_ report: inout Report) throws {
        let run = try ServerProcess.run(["verify", "--data", data], environment: environment)
        if run.status != 0 { report.verifyFailures.append(run.output + run.errors) }
    }

    private func check(
        _ files: ArraySlice<Acknowledged>, _ server: ServerProcess, _ person: (id: String, token: String), _ report: inout Report
    ) async throws {
        for file in files {
            let (status, bytes) = try await get("http://127.0.0.1:\(server.port)\(file.path)", person.token)
            if status != 200 || Load.hash(bytes) != file.sha256 { report.lostPaths.insert(file.path) }
        }
    }

    /// Whatever is listed must be whole, acknowledged or not.
    private func checkList(_ server: ServerProcess, _ person: (id: String, token: String), _ report: inout Report) async throws {
        var cursor: String?
        repeat {
            let query = "?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let (_, bytes) = try await get("http://127.0.0.1:\(server.port)/api/users/user/\(person.id)/multimedia\(query)", person.token)
            let page = try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
            for file in page["files"] as? [[String: Any]] ?? [] {
                let (status, content) = try await get(file["appUrl"] as? String ?? "", person.token)
                if status != 200 || content.count != file["size"] as? Int { report.halfFiles += 1 }
            }
            cursor = (page["pagination"] as? [String: Any])?["nextCursor"] as? String
        } while cursor != nil
    }

    private func get(_ url: String, _ token: String) async throws -> (Int, Data) {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await crashClient.execute(request, timeout: .seconds(30))
        return (Int(response.status.code), Data(try await response.body.collect(upTo: 64 * 1_048_576).readableBytesView))
    }
}

/// Gives up at once where nobody listens; the shared client would try again until its time is over.
private let crashClient: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()

/// Six clients that upload films of many sizes, one to three a request, until they are told to stop or nobody answers.
final class Load: Sendable {
    private let url: String
    private let person: (id: String, token: String)
    private let stopped = Mutex(false)
    private let made = Mutex<[(String, String)]>([])

    init(url: String, person: (id: String, token: String)) {
        self.url = url
        self.person = person
    }

    /// Path and hash of every file that was answered 200.
    var acknowledged: [(String, String)] { made.withLock { $0 } }

    func stop() { stopped.withLock { $0 = true } }

    func run() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask { while !self.stopped.withLock({ $0 }), (try? await self.uploadOnce()) != nil {} }
            }
        }
    }

    private func uploadOnce() async throws {
        let films = (0..<Int.random(in: 1...3)).map { _ in
            Film.bytes([200, 3_000, 5_000, 70_000, 300_000].randomElement()!, isRandom: true)
        }
        var body = MultipartBody()
        for (index, film) in films.enumerated() { body.add("file", fileName: "\(index).mp4", type: "video/mp4", film) }
        body.close()
        var request = HTTPClientRequest(url: "\(url)/api/users/user/\(person.id)/multimedia/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        let response = try await crashClient.execute(request, timeout: .seconds(20))
        let answer = Data(try await response.body.collect(upTo: 1_048_576).readableBytesView)
        guard response.status == .ok, let json = try JSONSerialization.jsonObject(with: answer) as? [String: Any],
            let files = json["files"] as? [[String: [String: Any]]], files.count == films.count
        else { return }
        let acknowledged = zip(files, films).compactMap { file, film -> (String, String)? in
            guard let id = file["data"]?["fileId"] as? String else { return nil }
            return ("/api/users/user/\(person.id)/multimedia/files/\(id)", Self.hash(film))
        }
        made.withLock { $0 += acknowledged }
    }

    static func hash(_ data: Data) -> String { Hex.encode(SHA256.hash(data: data)) }
}
