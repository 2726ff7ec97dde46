import Foundation
import TestKit
import Testing

/// An app in a folder of its own, which names this repository by its URL.
enum ScratchApp {
    /// How an app compiles its own code.
    enum Mode: String, CaseIterable, CustomTestStringConvertible {
        case swift5, swift6, mainActor

        var testDescription: String {
            switch self {
            case .swift5: "Swift 5"
            case .swift6: "Swift 6"
            case .mainActor: "Swift 6, on the main actor by default"
            }
        }

        fileprivate var settings: String { self == .mainActor ? ", swiftSettings: [.defaultIsolation(MainActor.self)]" : "" }
        fileprivate var version: String { self == .swift5 ? ".v5" : ".v6" }
        /// Puts a declaration or a conformance on the main actor.
        fileprivate var isolation: String { self == .mainActor ? "" : "@MainActor " }
    }

    /// Creates a repository that contains only the client's part of this one, in its current state.
    static func publish(in folder: String, _ edit: (String) throws -> String) throws {
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

    static func make(in folder: String, _ mode: Mode) throws {
        try FileManager.default.createDirectory(atPath: folder + "/app/Sources/App", withIntermediateDirectories: true)
        try Data(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "App", platforms: [.macOS(.v13), .iOS(.v16)],
                dependencies: [.package(url: "file://\(folder)/keepsake", branch: "main")],
                targets: [
                    .target(name: "App", dependencies: [.product(name: "KeepsakeKit", package: "keepsake")]\(mode.settings))
                ],
                swiftLanguageModes: [\(mode.version)])
            """.utf8
        ).write(to: URL(filePath: folder + "/app/Package.swift"))
        try Data(source(mode).utf8).write(to: URL(filePath: folder + "/app/Sources/App/App.swift"))
    }

    /// - Returns: the identities of the packages that SwiftPM fetched, sorted.
    static func resolve(in folder: String) throws -> [String] {
        struct Resolved: Decodable {
            struct Pin: Decodable { let identity: String }
            let pins: [Pin]
        }
        let resolve = try run("/usr/bin/env", ["swift", "package", "resolve"], in: folder + "/app")
        try #require(resolve.status == 0, "\(resolve.output)\(resolve.errors)")
        let data = try Data(contentsOf: URL(filePath: folder + "/app/Package.resolved"))
        return try JSONDecoder().decode(Resolved.self, from: data).pins.map(\.identity).sorted()
    }

    /// Builds the app, in which every warning is an error.
    static func build(in folder: String) throws {
        // An index and debug information would take a quarter of the time.
        let arguments = ["build", "--disable-index-store", "-Xswiftc", "-gnone", "-Xswiftc", "-warnings-as-errors"]
        let build = try run("/usr/bin/env", ["swift"] + arguments, in: folder + "/app")
        #expect(build.status == 0, "\(build.output)\(build.errors)")
    }

    static func run(_ binary: String, _ arguments: [String], in folder: String) throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(arguments, binary: binary, in: folder)
    }

    /// The app's source: models on the main actor. One signs in, reads pages, shows the progress of an upload, and follows events; the
    /// library encodes and decodes the other.
    private static func source(_ mode: Mode) -> String {
        """
        import Foundation
        import KeepsakeKit
        import KeepsakeWire

        \(mode.isolation)public final class Model {
            public private(set) var moods: [MoodData] = []
            public private(set) var note: Note?
            public private(set) var progress = 0.0
            private let keepsake: Keepsake

            public init(url: URL) { keepsake = Keepsake(url: url, tokens: MemoryTokenStore()) }

            public func signIn(email: String, password: String) async throws {
                try await keepsake.auth.signIn(email: email, password: password)
            }

            public func load() async throws {
                for try await mood in keepsake.moments.moods() { moods.append(mood) }
                note = try await keepsake.send(Self.endpoint, Empty())
            }

            public func write(_ text: String) async throws {
                note = try await keepsake.send(Self.creation, Note(text: text), key: text)
            }

            public func upload(_ photos: [URL]) async throws {
                do {
                    _ = try await keepsake.media.upload(photos) { self.progress = $0 }
                } catch let error as KeepsakeError where error.isRetryable {
                    progress = 0
                }
            }

            public func follow() async throws {
                for try await message in keepsake.events.follow() {
                    if case .event(let event) = message { print(event.type) }
                }
            }

            public func ask() async throws {
                for try await part in keepsake.chat.stream("What is new?") {
                    if case .words(let words) = part { print(words) }
                }
            }

            private static let endpoint = Endpoint<Empty, Note>(.get, "/note", surface: .captures)
            private static let creation = CreationEndpoint<Note, Note>(.post, "/note", surface: .captures, body: .json())
        }

        /// What endpoints take and return that the library does not know. It is `Codable` on the main actor only.
        \(mode.isolation)public struct Note: \(mode.isolation)Codable {
            public var text: String
        }

        """
    }
}
