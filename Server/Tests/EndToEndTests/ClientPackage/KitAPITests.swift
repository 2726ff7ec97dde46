import Foundation
import TestKit
import TestThreads
import Testing

/// Apps depend on the public declarations of the client library. Each change of a declaration also needs a change of Kit/API, so it is
/// deliberate.
@Suite("The public API of the client library", .blocksThreads)
struct KitAPITests {
    private static let modules = URL(filePath: ServerProcess.binary).deletingLastPathComponent().path + "/Modules"

    private static func check(_ arguments: [String] = []) throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(["--modules", modules] + arguments, binary: Repository.folder + "/scripts/kit-api")
    }

    // One test with one run, because reading the declarations takes many seconds of processor time.
    @Test("Kit/API has each product's public declarations: only a missing line, a line that is gone and a missing file are reported")
    func declarations() throws {
        let folder = try TemporaryFolder()
        let files = folder.path + "/API"
        try FileManager.default.copyItem(atPath: Repository.folder + "/Kit/API", toPath: files)
        let file = URL(filePath: files + "/KeepsakeKit.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        let line = "Auth: func me() async throws -> User\n"
        try #require(text.contains(line))
        try text.replacing(line, with: "Auth: func myself() async throws -> User\n").write(to: file, atomically: true, encoding: .utf8)
        let testing = try String(contentsOfFile: files + "/KeepsakeTesting.txt", encoding: .utf8)
        try FileManager.default.removeItem(atPath: files + "/KeepsakeTesting.txt")
        let changed = try Self.check(["--files", files])
        #expect(changed.status == 1, "\(changed.output)\(changed.errors)")
        let lines = changed.output.split(separator: "\n").filter { $0.hasPrefix("  +") || $0.hasPrefix("  -") }
        let reported = Set(lines.map { String($0.dropFirst(2)) })
        var expected = Set(testing.split(separator: "\n").map { "+\($0)" })
        expected.formUnion(["+Auth: func me() async throws -> User", "-Auth: func myself() async throws -> User"])
        #expect(expected.isSubset(of: reported), "\(changed.output)")
        // Other systems have declarations that Linux lacks.
        #if os(Linux)
            #expect(reported == expected, "\(changed.output)")
        #endif
        #expect(changed.output.contains("Kit/API/KeepsakeTesting.txt:\n"))
        #expect(changed.output.contains("scripts/kit-api --write"))
    }
}
