import Foundation
import TestKit
import TestThreads
import Testing

@Suite("The README's first photo", .blocksThreads)
struct FirstPhotoTests {
    @Test("its line of curl sends a real JPEG, and the printed link shows it in a browser")
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
        // The line is the same whatever the port: the address is in the file. It is written after the port is known.
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
        // A browser titles a picture with its size once it has decoded it; this one is stored lying on its side.
        #expect(browser.output.contains("(480×640)"), "\(browser.output)")
    }

    private func waitForFile(_ path: String) throws {
        for _ in 0..<500 where !FileManager.default.fileExists(atPath: path) { usleep(10_000) }
    }
}
