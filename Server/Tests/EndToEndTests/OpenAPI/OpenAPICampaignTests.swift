import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestKit
import TestThreads
import Testing

/// Checks that the server conforms to its OpenAPI description: schemathesis generates requests from it and validates every response.
@Suite("Campaign: openapi", .serialized, .blocksThreads)
struct OpenAPICampaignTests {
    private static let isFull = CampaignScale.isFull("openapi")
    /// Hashing a password is slow by design, so these operations get fewer requests.
    private static let passwords = "/auth/password"

    /// - Parameters:
    ///   - examples: the number of requests per operation.
    ///   - full: the number in the full form; 25 times as many if it is `nil`.
    ///   - chained: also feeds responses of one operation into requests of others in the full form.
    ///   - covering: also sends the boundary values of each parameter, to which most requests of a run belong. The full form always does.
    private static func amount(_ examples: Int, full: Int? = nil, chained: Bool = false, covering: Bool = true) -> [String] {
        let phases = (covering || isFull ? "examples,coverage,fuzzing" : "examples,fuzzing") + (isFull && chained ? ",stateful" : "")
        return ["--max-examples", "\(isFull ? full ?? examples * 25 : examples)", "--phases", phases]
    }

    @Test("every response conforms to the description, for valid and invalid requests")
    func truth() async throws {
        guard CampaignScale.runs("openapi") else { return }
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path, environment: ["KEEPSAKE_RATE_LIMITS": "off"])
        defer { server.killNow() }
        let ada = try Self.token("ada", folder.path)
        let eve = try Self.token("eve", folder.path)
        let joe = try Self.token("joe", folder.path)
        let zoe = try Self.token("zoe", folder.path)
        let amy = try Self.token("amy", folder.path)
        let administrator = try Self.token("administrator", folder.path, isAdmin: true)
        // Lists need an entry, so that their items are validated too.
        let status = try await Self.upload(server, ada)
        #expect(status == 200)

        let description = "http://127.0.0.1:\(server.port)/openapi.json"
        let operations = try await Self.operations(description)
        func count(_ isMeant: (String) -> Bool) -> Int { operations.count { isMeant($0.path) } }
        let endings = "/auth/(password|signout|delete|sessions$)|/delete-user"
        func hasBearerRun(_ path: String) -> Bool { path.range(of: endings, options: .regularExpression) == nil }
        func isForAdministrators(_ path: String) -> Bool { path.hasPrefix("/admin/") }
        // Runs without a credential, with a cookie or with HEAD send no boundary values. Without a credential each request gets 401 before
        // a handler reads the values; a cookie and HEAD lead to the same handlers as the bearer token and GET. The administrator's run
        // sends those of the administrators' operations, which refuse everybody else.
        let runs: [(String, String?, [String], Int)] = [
            (
                "no credential", nil, Self.amount(1, full: 75, covering: false) + ["--exclude-path-regex", Self.passwords],
                count { !$0.contains(Self.passwords) }
            ),
            (
                "a bearer token", "Authorization: Bearer \(ada.token)",
                // Boundary values are most of the requests. Random ones take far longer to generate.
                Self.amount(3, full: 200, chained: true) + ["--exclude-path-regex", endings + "|^/admin/", "--exclude-method", "HEAD"],
                operations.count { hasBearerRun($0.path) && !isForAdministrators($0.path) && $0.method != "head" }
            ),
            (
                "no administrator", "Authorization: Bearer \(ada.token)",
                Self.amount(2, full: 200, covering: false) + ["--include-path-regex", "^/admin/", "--exclude-method", "HEAD"],
                operations.count { isForAdministrators($0.path) && $0.method != "head" }
            ),
            (
                "HEAD with a bearer token", "Authorization: Bearer \(ada.token)",
                Self.amount(1, full: 50, covering: false) + ["--exclude-path-regex", endings, "--include-method", "HEAD"],
                operations.count { hasBearerRun($0.path) && $0.method == "head" }
            ),
            ("the end of a session", "Authorization: Bearer \(eve.token)", Self.amount(2) + ["--include-path", "/auth/signout"], 1),
            ("the end of an account", "Authorization: Bearer \(zoe.token)", Self.amount(2) + ["--include-path", "/auth/delete"], 1),
            (
                "the end of a user", "Authorization: Bearer \(amy.token)", Self.amount(2) + ["--include-path", "/delete-user"], 1
            ),
            (
                "an administrator", "Authorization: Bearer \(administrator.token)",
                Self.amount(4) + ["--include-path-regex", "^/admin/"], count(isForAdministrators)
            ),
            (
                "the end of all sessions", "Authorization: Bearer \(joe.token)", Self.amount(2) + ["--include-path", "/auth/sessions"],
                count { $0 == "/auth/sessions" }
            ),
            (
                "a cookie", "Cookie: \(try await Self.cookie(server, ada.token))",
                Self.amount(1, full: 50, covering: false) + ["--exclude-path-regex", "/auth/|/delete-user"],
                count { !$0.contains("/auth/") && $0 != "/delete-user" }
            ),
            (
                "passwords", nil,
                ["--include-path-regex", Self.passwords]
                    + (Self.isFull ? ["-n", "30", "--phases", "examples,coverage,fuzzing"] : ["-n", "2", "--phases", "examples,fuzzing"]),
                count { $0.contains(Self.passwords) }
            ),
        ]
        for (name, credential, arguments, operationCount) in runs {
            let run = try Schemathesis(
                description, server: server, user: ada.id, credential: credential, arguments)
            print("openapi campaign: \(name): \(run.cases) requests to \(run.operations) operations")
            // Uses local values, because #expect would print the whole run, including the report, a second time.
            let (isClean, tested) = (run.isClean, run.operations)
            #expect(isClean, "\(name):\n\(run.report)")
            #expect(tested == operationCount, "\(name):\n\(run.report)")
            #expect(run.cases > operationCount)
        }
        let verify = try ServerProcess.run(["verify", "--data", folder.path])
        #expect(verify.status == 0, "\(verify.output)")
    }

    @Test("control: a wrong description is detected")
    func lies() async throws {
        guard CampaignScale.runs("openapi") else { return }
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path)
        defer { server.killNow() }
        let live = ["paths", "/health/live", "get", "responses"]
        let lies: [(String, [String], Any?)] = [
            ("another value", live + ["200", "content", "application/json", "schema", "properties", "status"], ["const": "fine"]),
            ("another status", live + ["200"], nil),
            ("a header that is not sent", live + ["200", "headers", "X-Nothing"], ["required": true, "schema": ["type": "string"]]),
        ]
        let document = try await Self.document("http://127.0.0.1:\(server.port)/openapi.json")
        for (name, place, lie) in lies {
            let file = folder.path + "/lie.json"
            try JSONSerialization.data(withJSONObject: Self.replacing(document, place[...], lie)).write(to: URL(filePath: file))
            let run = try Schemathesis(
                file, server: server, user: "x", ["--include-operation-id", "live", "--phases", "coverage"])
            #expect(!run.isClean && run.operations == 1 && run.report.contains("FAILURES"), "\(name):\n\(run.report)")
        }
    }

    private static func replacing(_ object: [String: Any], _ place: ArraySlice<String>, _ value: Any?) -> [String: Any] {
        var object = object
        guard let key = place.first else { return object }
        object[key] = place.count == 1 ? value : replacing(object[key] as? [String: Any] ?? [:], place.dropFirst(), value)
        return object
    }

    private static func document(_ url: String) async throws -> [String: Any] {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(10))
        let bytes = try await response.body.collect(upTo: 16 * 1_048_576)
        return try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: Any] ?? [:]
    }

    private static func operations(_ url: String) async throws -> [(path: String, method: String)] {
        let paths = try await document(url)["paths"] as? [String: [String: Any]] ?? [:]
        return paths.flatMap { path, operations in operations.keys.filter { $0 != "parameters" }.map { (path, $0) } }
    }

    private static func token(_ name: String, _ data: String, isAdmin: Bool = false) throws -> (id: String, token: String) {
        let run = try ServerProcess.run(
            ["token", "--data", data, "--email", "\(name)@example.org", "--json"] + (isAdmin ? ["--admin"] : []))
        let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: String] ?? [:]
        return (json["user_id"] ?? "", json["access_token"] ?? "")
    }

    private static func cookie(_ server: ServerProcess, _ token: String) async throws -> String {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/auth/session")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let bytes = try await response.body.collect(upTo: 10_000)
        let json = try JSONSerialization.jsonObject(with: Data(bytes.readableBytesView)) as? [String: String]
        return json?["cookie"] ?? ""
    }

    private static func upload(_ server: ServerProcess, _ person: (id: String, token: String)) async throws -> UInt {
        let body = MultipartBody.file("a.mp4", Film.bytes(20_000))
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)/api/users/user/\(person.id)/multimedia/swift")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(person.token)")
        request.headers.add(name: "Content-Type", value: body.contentType)
        request.body = .bytes(ByteBuffer(bytes: body.data))
        return try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status.code
    }
}
