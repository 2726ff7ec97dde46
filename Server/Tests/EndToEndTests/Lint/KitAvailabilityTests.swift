import Foundation
import TestKit
import TestThreads
import Testing

@Suite("Availability in make lint", .blocksThreads)
struct KitAvailabilityTests {
    private func check(_ source: String) throws -> (status: Int32, output: String) {
        let folder = try TemporaryFolder()
        try Data(source.utf8).write(to: URL(filePath: folder.path + "/Source.swift"))
        let done = try ServerProcess.run([folder.path], binary: Repository.folder + "/scripts/kit-availability")
        return (done.status, done.output)
    }

    @Test(
        "what iOS 16 or macOS 13 lacks is refused with the version that has it and the line",
        arguments: [
            ("import Foundation\nimport Synchronization\n", "Source.swift:2", "iOS 18.0"),
            ("let lock = Mutex(0)\n", "Source.swift:1", "Mutex of Synchronization needs iOS 18.0"),
            ("@Observable\nfinal class Model {}\n", "Source.swift:1", "iOS 17.0"),
            ("let all = #Predicate<Int> { $0 > 1 }\n", "Source.swift:1", "iOS 17.0"),
            ("func all() -> some AsyncSequence<Int, Never> { fatalError() }\n", "Source.swift:1", "iOS 18.0"),
            ("final class Model {\n    isolated deinit {}\n}\n", "Source.swift:2", "iOS 18.4"),
            ("await withDiscardingTaskGroup { _ in }\n", "Source.swift:1", "iOS 17.0"),
            ("Task.immediate {}\n", "Source.swift:1", "iOS 26.0"), ("let big: UInt128 = 1\n", "Source.swift:1", "iOS 18.0"),
            ("struct Row<each Cell> {}\n", "Source.swift:1", "iOS 17.0"),
        ])
    func refused(_ source: String, _ place: String, _ reason: String) throws {
        let done = try check(source)
        #expect(done.status == 1)
        #expect(done.output.contains(place + ":") || done.output.contains(place + " "), "\(done.output)")
        #expect(done.output.contains(reason), "\(done.output)")
    }

    @Test("comments, texts, names of the library's own and older members of the same name are not uses of a newer declaration")
    func harmless() throws {
        let done = try check(
            """
            /// Like `Mutex`, but for iOS 16. Not @Observable.
            struct Job { let text = "import Synchronization" }
            let job = Job()
            let seconds = Duration.zero.components.attoseconds
            func all() -> any AsyncSequence { fatalError() }

            """)
        #expect(done.status == 0, "\(done.output)")
    }

    @Test("the client library passes")
    func library() throws {
        let done = try ServerProcess.run([], binary: Repository.folder + "/scripts/kit-availability")
        #expect(done.status == 0, "\(done.output)\(done.errors)")
    }
}
