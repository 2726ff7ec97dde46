import Foundation
import TestKit
import TestThreads
import Testing

/// An app that names this repository by its URL fetches every dependency of the root manifest, so the root manifest must not name those of
/// the server.
@Suite("The repository as a dependency of an app", .serialized, .blocksThreads)
struct ScratchAppTests {
    @Test("an app whose code is on the main actor fetches the client library and swift-http-types, nothing else, and builds")
    func app() throws {
        let folder = try TemporaryFolder()
        try ScratchApp.publish(in: folder.path) { $0 }
        try ScratchApp.make(in: folder.path, .mainActor)
        #expect(try ScratchApp.resolve(in: folder.path) == ["keepsake", "swift-http-types"])
        try ScratchApp.build(in: folder.path)
    }

    @Test("control: with one executable in the root manifest, every app fetches the executable's dependencies")
    func control() throws {
        let folder = try TemporaryFolder()
        try ScratchApp.publish(in: folder.path) { manifest in
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
        try ScratchApp.make(in: folder.path, .mainActor)
        #expect(try ScratchApp.resolve(in: folder.path) == ["keepsake", "swift-argument-parser", "swift-http-types"])
    }

    /// The dependency as the server's manifest names it, so that SwiftPM uses its cached download.
    private static func argumentParser() throws -> String {
        let manifest = try String(contentsOfFile: Repository.folder + "/Server/Package.swift", encoding: .utf8)
        let line = try #require(
            manifest.split(separator: "\n").first { $0.contains("swift-argument-parser\"") && $0.contains(".package(url") })
        return String(line.drop { $0 == " " }.dropLast())
    }
}

/// `make campaign NAME=apps` runs all modes. The test run builds an app in one mode only, because each build takes a third of a minute.
@Suite("Apps in all language modes", .serialized, .blocksThreads)
struct ScratchAppCampaignTests {
    @Test("an app builds in Swift 5, in Swift 6, and with all its code on the main actor", arguments: ScratchApp.Mode.allCases)
    func modes(_ mode: ScratchApp.Mode) throws {
        guard CampaignScale.isFull("apps") else { return }
        let folder = try TemporaryFolder()
        try ScratchApp.publish(in: folder.path) { $0 }
        try ScratchApp.make(in: folder.path, mode)
        #expect(try ScratchApp.resolve(in: folder.path) == ["keepsake", "swift-http-types"])
        try ScratchApp.build(in: folder.path)
    }

    @Test("a clean build of the client library takes less than a minute on two cores")
    func duration() throws {
        guard CampaignScale.isFull("apps") else { return }
        let folder = try TemporaryFolder()
        try ScratchApp.publish(in: folder.path) { $0 }
        // The measured time does not include the download.
        let resolve = try ScratchApp.run("/usr/bin/env", ["swift", "package", "resolve"], in: folder.path + "/keepsake")
        try #require(resolve.status == 0, "\(resolve.errors)")
        let start = ContinuousClock.now
        let build = try ScratchApp.run("/usr/bin/env", ["swift", "build", "--jobs", "2"], in: folder.path + "/keepsake")
        let duration = ContinuousClock.now - start
        #expect(build.status == 0, "\(build.output)\(build.errors)")
        print("apps campaign: a clean build took \(duration)")
        #expect(duration < .seconds(60))
    }
}
