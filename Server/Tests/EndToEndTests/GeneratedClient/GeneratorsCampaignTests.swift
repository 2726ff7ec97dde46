import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Campaign: generators", .blocksThreads)
struct GeneratorsCampaignTests {
    /// Warnings of openapi-generator 7.26 for every description that has the things named below. None of them changes the client, as
    /// `renamed` checks.
    private static let unavoidable = [
        // For every description of version 3.1.
        "OpenAPI 3.1 support is still in beta",
        // For every list of files in a form.
        "Could not compute datatypeWithEnum from",
        // For an object in an object, if both have no further members.
        "Failed to get the schema name: null",
        // The generator makes a model's name of every parameter's name, for example of `date`, and does not use it.
        "(reserved word) cannot be used as model name. Renamed to",
        "(model name matches existing language type) cannot be used as a model name. Renamed to",
    ]

    @Test(
        "openapi-generator makes clients without a warning about the description, and the one in Swift compiles",
        arguments: ["swift6", "kotlin", "typescript-fetch"])
    func generates(_ language: String) throws {
        guard CampaignScale.isFull("generators") else { return }
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path + "/data")
        defer { server.killNow() }
        let programs = try Generators.install("generators")
        let client = folder.path + "/client"
        let run = try ServerProcess.run(
            ["generate", "-i", "http://127.0.0.1:\(server.port)/openapi.json", "-g", language, "-o", client],
            binary: programs + "/openapi-generator-cli")
        let said = (run.output + run.errors).split(separator: "\n").filter { $0.contains(" WARN ") || $0.contains(" ERROR ") }
        let warnings = said.filter { line in !Self.unavoidable.contains { line.contains($0) } }
        #expect(run.status == 0 && warnings == [], "\(run.errors.suffix(4_000))")

        let files = try #require(FileManager.default.enumerator(atPath: client)).compactMap { $0 as? String }
        let source = try files.filter { ["swift", "kt", "ts"].contains(URL(filePath: $0).pathExtension) }.map {
            try String(contentsOfFile: client + "/" + $0, encoding: .utf8)
        }
        #expect(source.count > 100)
        let renamed = said.compactMap { $0.components(separatedBy: "Renamed to ").dropFirst().first }
        for name in Set(renamed) { #expect(!source.contains { $0.contains(name) }, "\(language) uses \(name)") }
        if language == "swift6" {
            let sources = files.filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
            let compiler = try ServerProcess.run(
                ["swiftc", "-typecheck", "-swift-version", "6"] + sources, binary: "/usr/bin/env", in: client)
            #expect(compiler.status == 0 && compiler.errors.isEmpty, "\(compiler.errors.prefix(4_000))")
        }
        print("generators campaign: \(language): \(source.count) files, \(said.count) notices")
    }
}
