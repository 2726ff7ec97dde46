import Foundation
import TestKit
import TestThreads
import Testing

@Suite("The README's first photo", .blocksThreads)
struct FirstPhotoTests {
    @Test("the README's curl command uploads a real JPEG, and a browser shows it by the printed link")
    func firstPhoto() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let readme = try String(contentsOf: repository.appending(path: "README.md"), encoding: .utf8)
        let line = try #require(readme.split(separator: "\n").first { $0.hasPrefix("curl ") })

        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            at: repository.appending(path: "Server/Tests/Fixtures/photo.jpg"),
            to: URL(filePath: folder.path + "/photo.jpg"))
        let server = try ServerProcess(data: "data", arguments: ["--welcome"], in: folder.path)
        defer { server.killNow() }
        // The command does not contain the port: it reads the URL from this file, which the server writes once it knows the port.
        try waitForFile(folder.path + "/data/first-photo.curl")
        let curl = try ServerProcess.run(["-c", line + " --silent --show-error"], binary: "/bin/sh", in: folder.path)
        let answer = try #require(
            try JSONSerialization.jsonObject(with: Data(curl.output.utf8)) as? [String: Any], "\(curl.output)\(curl.errors)")
        let files = try #require(answer["files"] as? [[String: [String: Any]]])
        let url = try #require(files.first?["data"]?["url"] as? String)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/data/first-photo.curl")[.posixPermissions] as? Int
        #expect(mode == 0o600)

        let browser = try ServerProcess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.path)/browser", "--dump-dom", url],
            binary: "/usr/bin/env")
        // The browser's title contains the picture's size once it is decoded. This picture is stored rotated by 90°.
        #expect(browser.output.contains("(480×640)"), "\(browser.output)")
    }

    private func waitForFile(_ path: String) throws {
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: path) { usleep(10_000) }
    }
}
