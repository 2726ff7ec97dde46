import Foundation
import TestKit
import TestThreads
import Testing

/// The commands with which README lets a newcomer try the server from a terminal. `make campaign NAME=newcomer` also clones and runs `make run`.
@Suite("The README's first steps in a terminal", .blocksThreads)
struct NewcomerTests {
    @Test("the commands run as README prints them: sign in, upload with a progress bar, mood, timeline, search")
    func steps() throws {
        let readme = try String(contentsOfFile: Repository.folder + "/README.md", encoding: .utf8)
        let blocks = readme.matches(of: /(?m)^```sh\n((?:.*\n)*?)```$/).map { String($0.output.1) }
        let script = try #require(blocks.first { $0.contains("keepsake login") })
        for command in ["keepsake upload", "keepsake mood", "keepsake timeline", "keepsake search"] { #expect(script.contains(command)) }
        #expect(script.contains("http://127.0.0.1:8080"))

        let home = try ClientHome()
        try home.add("photo.jpg")
        let server = try ServerProcess(data: home.path + "/data", arguments: ["--welcome"])
        // This is where `make run` puts the program.
        try FileManager.default.createDirectory(atPath: home.path + "/.build-release/release", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: home.path + "/.build-release/release/keepsake", withDestinationPath: ServerProcess.binary)
        try ("set -eu\n" + script.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server.port)"))
            .write(toFile: home.path + "/steps.sh", atomically: true, encoding: .utf8)
        let done = try home.runOnTerminal("sh steps.sh")
        #expect(done.status == 0, "\(done.output)")
        for part in ["signed in to http://127.0.0.1:\(server.port) as ", "████ 100 %", "image/jpeg", "kept the mood ", "  mood "] {
            #expect(done.output.contains(part), "\(part) is missing:\n\(done.output)")
        }
        #expect(server.terminate() == 0)
    }

    @Test("docs/api.md's commands for curl run in their order", arguments: StoragePair.allCases)
    func curl(_ pair: StoragePair) throws {
        let text = try String(contentsOfFile: Repository.folder + "/docs/api.md", encoding: .utf8)
        let start = try #require(text.range(of: "## From Swift and from a terminal\n"))
        let section = text[start.upperBound...].prefix(
            upTo: text.range(of: "\n## ", range: start.upperBound..<text.endIndex)?.lowerBound ?? text.endIndex)
        let commands = section.matches(of: /(?m)^```sh\n((?:.*\n)*?)```$/).map { String($0.output.1) }
        #expect(commands.count >= 14)
        let home = try ClientHome()
        try home.add("photo.jpg")
        try home.add("voice.m4a")
        let stores = try TestStores(pair)
        let server = try ServerProcess(data: home.path + "/data", environment: stores.environment())
        let url = "http://127.0.0.1:\(server.port)"
        // Each command's output begins with its number.
        let script = commands.enumerated().map { "echo; echo '#\($0.offset)'\n\($0.element)" }.joined()
        var environment = home.environment
        // The package python3-websockets is for Debian's Python, which need not be the first in the path.
        environment["PATH"] = "/usr/bin:" + (ProcessInfo.processInfo.environment["PATH"] ?? "/bin")
        let done = try ServerProcess.run(
            ["-euc", "SERVER=\(url)\n" + script], binary: "/bin/sh", environment: environment, in: home.path)
        #expect(done.status == 0, "\(done.output)\(done.errors)")
        let outputs = done.output.components(separatedBy: "\n#").dropFirst().map {
            $0.drop { $0.isNumber }.trimmingCharacters(in: .newlines)
        }
        try #require(outputs.count == commands.count, "\(done.output)")
        // The first command only sets variables.
        var objects: [[String: Any]] = []
        for output in outputs.dropFirst() {
            objects.append(try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)"))
        }
        // The two commands that open a WebSocket print a message that they received.
        #expect(objects.contains { $0["seq"] is Int && $0["at"] is String && $0["data"] != nil })
        #expect(objects.contains { $0["type"] as? String == "memory_processed" && $0["captureId"] as? String == "capture-1" })
        #expect(outputs[3].contains("\"By the lake\"") && outputs[4].contains("\"marks\""))
        // The outputs are of all five surfaces: a change, a deletion, an error, a smaller copy, a capsule, an RSVP, a capture's photo, an
        // answer from entries, a chat, the deletion's receipt.
        for part in [
            "in the evening", "{\"success\":true}", "\"moodIntensity must be", "{\"bytes\":", "\"audio_url\"", "\"GOING\"", "capture-1",
            "\"sources\"", "\"responseMessage\"", "\"receipt\"",
        ] {
            #expect(outputs.dropFirst(5).contains { $0.contains(part) }, "\(part): \(done.output)")
        }
        #expect(server.terminate() == 0)
        withExtendedLifetime(stores) {}
    }
}
