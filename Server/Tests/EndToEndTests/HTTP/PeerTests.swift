import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Third-party HTTP clients", .blocksThreads)
struct PeerTests {
    @Test(
        "h2load and Python's httpx work with the server, by HTTP/1.1 and HTTP/2, with and without TLS",
        arguments: zip([false, true], StoragePair.allCases))
    func peers(_ isSecure: Bool, _ pair: StoragePair) throws {
        let folder = try TemporaryFolder()
        let stores = try TestStores(pair)
        let settings = try stores.environment()
        let identity = isSecure ? try ServerIdentity(in: folder.path) : nil
        let server = try ServerProcess(
            data: folder.path + "/data", arguments: identity?.arguments ?? [],
            environment: settings.merging(["KEEPSAKE_RATE_LIMITS": "off", "KEEPSAKE_MAX_FILE_MB": "1"]) { $1 })
        let token = try ServerProcess.run(
            ["token", "--data", folder.path + "/data", "--email", "ada@example.org", "--json"], environment: settings
        ).output
        let person = try #require(try JSONSerialization.jsonObject(with: Data(token.utf8)) as? [String: String])
        let address = "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)"
        for version in [["--h1"], []] {
            let field = "Authorization: Bearer \(person["access_token"] ?? "")"
            let text = try Tool.run("h2load", version + ["-n", "500", "-c", "10", "-m", "10", "-H", field, address + "/user/me"])
            #expect(text.contains("500 succeeded, 0 failed, 0 errored, 0 timeout"), "\(text)")
            #expect(text.contains("status codes: 500 2xx"), "\(text)")
        }
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers.py").path
        let run = try ServerProcess.run(
            [
                script, address, person["access_token"] ?? "", person["user_id"] ?? "", RealFile.folder.appending(path: "photo.jpg").path,
                identity?.certificate ?? "",
            ], binary: "/usr/bin/python3")
        let result = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]], "\(run.errors)")
        // Without TLS httpx does not support HTTP/2.
        #expect(result.map { $0["version"] as? String } == (isSecure ? ["HTTP/1.1", "HTTP/2"] : ["HTTP/1.1", "HTTP/1.1"]))
        for answer in result {
            #expect(answer["upload"] as? Int == 200 && answer["same"] as? Bool == true && answer["range"] as? Int == 206, "\(answer)")
            #expect(answer["nobody"] as? Int == 401, "\(answer)")
        }
        #expect(result.compactMap { $0["large"] as? Int } == [413])
        #expect(server.terminate() == 0)
        withExtendedLifetime(stores) {}
    }
}
