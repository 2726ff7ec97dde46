import Foundation
import TestKit
import TestThreads
import Testing

/// An app that names this repository by its URL fetches what the root manifest names: the client library must not bring the server along.
@Suite("The repository as a dependency of an app", .serialized, .blocksThreads)
struct ScratchAppTests {
    @Test("an app fetches the client library and swift-http-types, nothing else, and builds")
    func app() throws {
        let folder = try TemporaryFolder()
        try Self.publish(in: folder.path) { $0 }
        try Self.makeApp(in: folder.path)
        #expect(try Self.resolve(in: folder.path) == ["keepsake", "swift-http-types"])
        let build = try Self.run("/usr/bin/env", ["swift", "build"], in: folder.path + "/app")
        #expect(build.status == 0, "\(build.output)\(build.errors)")
    }

    @Test("control: a root manifest with one executable makes every app fetch what the executable needs")
    func control() throws {
        let folder = try TemporaryFolder()
        try Self.publish(in: folder.path) { manifest in
            try manifest
                .replacing("products: [", with: #"products: [.executable(name: "tool", targets: ["tool"]), "#)
                .replacing("dependencies: [.package(", with: #"dependencies: [\#(Self.argumentParser()), .package("#)
                .replacing(
                    "targets: [\n",
                    with: #"""
                        targets: [
                            .executableTarget(
                                name: "tool", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
                                path: "Tool"),

                        """#)
        }
        try Self.makeApp(in: folder.path)
        #expect(try Self.resolve(in: folder.path) == ["keepsake", "swift-argument-parser", "swift-http-types"])
    }

    /// The client's part of this repository as it is now, in a repository of its own.
    private static func publish(in folder: String, _ edit: (String) throws -> String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder + "/keepsake/Tool", withIntermediateDirectories: true)
        try files.copyItem(atPath: Repository.folder + "/Kit", toPath: folder + "/keepsake/Kit")
        try Data("@main struct Tool { static func main() {} }\n".utf8).write(to: URL(filePath: folder + "/keepsake/Tool/Tool.swift"))
        let manifest = try String(contentsOfFile: Repository.folder + "/Package.swift", encoding: .utf8)
        try Data(edit(manifest).utf8).write(to: URL(filePath: folder + "/keepsake/Package.swift"))
        for arguments in [
            ["init", "--quiet", "--initial-branch", "main"], ["add", "--all"],
            ["-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message", "As it is now"],
        ] {
            let git = try run("/usr/bin/env", ["git"] + arguments, in: folder + "/keepsake")
            try #require(git.status == 0, "\(git.errors)")
        }
    }

    private static func makeApp(in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/app/Sources/App", withIntermediateDirectories: true)
        try Data(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(
                name: "App", platforms: [.macOS(.v13), .iOS(.v16)],
                dependencies: [.package(url: "file://\(folder)/keepsake", branch: "main")],
                targets: [.target(name: "App", dependencies: [.product(name: "KeepsakeWire", package: "keepsake")])])
            """.utf8
        ).write(to: URL(filePath: folder + "/app/Package.swift"))
        try Data(
            """
            import KeepsakeWire
            public func path() -> String { MomentEndpoints.createMood.path }
            """.utf8
        ).write(to: URL(filePath: folder + "/app/Sources/App/App.swift"))
    }

    /// - Returns: the identities of the packages that SwiftPM fetched, sorted.
    private static func resolve(in folder: String) throws -> [String] {
        struct Resolved: Decodable {
            struct Pin: Decodable { let identity: String }
            let pins: [Pin]
        }
        let resolve = try run("/usr/bin/env", ["swift", "package", "resolve"], in: folder + "/app")
        try #require(resolve.status == 0, "\(resolve.output)\(resolve.errors)")
        let data = try Data(contentsOf: URL(filePath: folder + "/app/Package.resolved"))
        return try JSONDecoder().decode(Resolved.self, from: data).pins.map(\.identity).sorted()
    }

    /// The dependency as the server's manifest names it: what SwiftPM has fetched before is not downloaded again.
    private static func argumentParser() throws -> String {
        let manifest = try String(contentsOfFile: Repository.folder + "/Server/Package.swift", encoding: .utf8)
        let line = try #require(
            manifest.split(separator: "\n").first { $0.contains("swift-argument-parser\"") && $0.contains(".package(url") })
        return String(line.drop { $0 == " " }.dropLast())
    }

    private static func run(_ binary: String, _ arguments: [String], in folder: String) throws -> (
        status: Int32, output: String, errors: String
    ) { try ServerProcess.run(arguments, binary: binary, in: folder) }
}
