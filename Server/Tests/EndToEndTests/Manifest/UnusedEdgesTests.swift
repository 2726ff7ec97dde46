import Foundation
import TestKit
import TestThreads
import Testing

/// Runs `scripts/unused-edges` on this package, and on copies of its manifest with one mistake each.
@Suite("The manifest's dependencies", .blocksThreads)
struct UnusedEdgesTests {
    private static let manifest = Repository.folder + "/Server/Package.swift"

    /// The script's result for a package with this manifest and the real sources.
    private func check(_ manifest: String) throws -> (status: Int32, output: String, errors: String) {
        let folder = try TemporaryFolder()
        for name in ["Apps", "Benchmarks", "Console", "Features", "Platform", "Tests"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(name)", withDestinationPath: "\(Repository.folder)/Server/\(name)")
        }
        try manifest.write(toFile: folder.path + "/Package.swift", atomically: true, encoding: .utf8)
        return try ServerProcess.run([folder.path], binary: Repository.folder + "/scripts/unused-edges", in: Repository.folder)
    }

    private func manifest(replacing text: String, with other: String) throws -> String {
        let manifest = try String(contentsOfFile: Self.manifest, encoding: .utf8)
        try #require(manifest.contains(text), "the manifest has another form")
        return manifest.replacing(text, with: other, maxReplacements: 1)
    }

    @Test("each target declares exactly what its sources import")
    func real() throws {
        let answer = try check(String(contentsOfFile: Self.manifest, encoding: .utf8))
        #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    }

    @Test("an unused dependency is refused, with the line that declares it")
    func unused() throws {
        let answer = try check(
            manifest(
                replacing: #"module("Core", uses: ["Crypto", "DequeModule"]"#,
                with: #"module("Core", uses: ["Crypto", "DequeModule", "Yams"]"#))
        #expect(answer.status == 1)
        let lines = answer.output.split(separator: "\n")
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.contains(/Package\.swift:\d+: error: Core declares Yams, which no source in .*Platform\/Core imports/), "\(line)")
    }

    @Test("a feature's unused module, and a feature that it does not call, are refused")
    func unusedByFeature() throws {
        let answer = try check(
            manifest(
                replacing: #"(name: "Timeline", uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Web"], calls: [])"#,
                with: #"(name: "Timeline", uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Web", "Mail"], calls: ["Accounts"])"#))
        #expect(answer.status == 1)
        #expect(answer.output.contains("Timeline declares Mail,"), "\(answer.output)")
        #expect(answer.output.contains("Timeline declares Accounts,"), "\(answer.output)")
        #expect(answer.output.split(separator: "\n").count == 2)
    }

    @Test("an undeclared import is refused, with the file that contains it")
    func undeclared() throws {
        let answer = try check(
            manifest(replacing: #"module("Core", uses: ["Crypto", "DequeModule"]"#, with: #"module("Core", uses: ["DequeModule"]"#))
        #expect(answer.status == 1)
        #expect(answer.output.contains(/Platform\/Core\/\w+\.swift:\d+: error: Core imports Crypto,/), "\(answer.output)")
    }

    @Test("features and Web do not depend on a database engine")
    func engines() throws {
        let manifest = try String(contentsOfFile: Self.manifest, encoding: .utf8)
        let engines = ["SQLiteEngine", "PostgresEngine", "DatabaseEngines"]
        let table = try #require(manifest.range(of: "let features:")?.upperBound)
        let end = try #require(manifest[table...].range(of: "\n]")?.lowerBound)
        for engine in engines { #expect(!manifest[table..<end].contains(engine)) }
        for folder in ["Features", "Platform/Web", "Platform/Jobs", "Platform/Live", "Platform/Blobs", "Platform/Database"] {
            let root = Repository.folder + "/Server/" + folder
            let paths = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
            let files = paths.filter { $0.hasSuffix(".swift") }
            #expect(files.count > 3)
            for file in files {
                let text = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
                let importsEngine = engines.contains { text.contains("import \($0)") }
                #expect(!importsEngine, "\(folder)/\(file)")
            }
        }
    }
}
