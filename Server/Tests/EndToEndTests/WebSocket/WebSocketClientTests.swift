import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Third-party WebSocket client", .blocksThreads)
struct WebSocketClientTests {
    @Test(
        "Python's websockets connects with the token in header or query, pings, receives an event, and closes, with and without TLS",
        arguments: [false, true])
    func listens(_ isSecure: Bool) throws {
        let folder = try TemporaryFolder()
        let identity = isSecure ? try ServerIdentity(in: folder.path) : nil
        let server = try ServerProcess(data: folder.path, arguments: identity?.arguments ?? [])
        defer { server.killNow() }
        let token = try ServerProcess.run(["token", "--data", folder.path, "--email", "ada@example.org", "--json"]).output
        let person = try #require(try JSONSerialization.jsonObject(with: Data(token.utf8)) as? [String: String])
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let address = "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)"
        let run = try ServerProcess.run(
            [
                here.appending(path: "listen.py").path, address, person["access_token"] ?? "",
                here.appending(path: "../../Fixtures/photo.jpg").standardized.path,
                "\(address)/api/users/user/\(person["user_id"] ?? "")/multimedia/swift", identity?.certificate ?? "",
            ], binary: "/usr/bin/python3")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
        let event = try #require(result["event"] as? [String: Any])
        #expect(event["type"] as? String == "media.added" && event["seq"] as? Int == 1)
        #expect(result["upload"] as? Int == 200 && result["same"] as? Bool == true)
        #expect(result["second"] as? Int == 1_001 && result["first"] as? Int == 1_003)
        #expect(result["nobody"] as? Int == 401 && result["forged"] as? Int == 401 && result["foreign"] as? Int == 403)
    }
}
