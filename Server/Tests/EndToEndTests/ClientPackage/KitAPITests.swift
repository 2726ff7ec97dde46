import Foundation
import TestKit
import TestThreads
import Testing

/// Apps depend on the public declarations of the client library, so a change of them is made on purpose: with a change of Kit/API.
@Suite("The public API of the client library", .blocksThreads)
struct KitAPITests {
    private static let modules = URL(filePath: ServerProcess.binary).deletingLastPathComponent().path + "/Modules"

    private static func check(_ arguments: [String] = []) throws -> (status: Int32, output: String, errors: String) {
        try ServerProcess.run(["--modules", modules] + arguments, binary: Repository.folder + "/scripts/kit-api")
    }

    // Other systems have declarations that Linux lacks.
    #if os(Linux)
        @Test("each product's public declarations are those in Kit/API")
        func same() throws {
            let done = try Self.check()
            #expect(done.status == 0, "\(done.output)\(done.errors)")
        }
    #endif

    @Test("control: a declaration that is missing in the files, one that is gone, and a product without a file are found")
    func control() throws {
        let folder = try TemporaryFolder()
        let files = folder.path + "/API"
        try FileManager.default.copyItem(atPath: Repository.folder + "/Kit/API", toPath: files)
        let file = URL(filePath: files + "/KeepsakeKit.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
        let line = "Auth: func me() async throws -> User\n"
        try #require(text.contains(line))
        try text.replacing(line, with: "Auth: func myself() async throws -> User\n").write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.removeItem(atPath: files + "/KeepsakeTesting.txt")
        let changed = try Self.check(["--files", files])
        #expect(changed.status == 1)
        #expect(changed.output.contains("+Auth: func me() async throws -> User\n"))
        #expect(changed.output.contains("-Auth: func myself() async throws -> User\n"))
        #expect(changed.output.contains("Kit/API/KeepsakeTesting.txt:\n"))
        #expect(changed.output.contains("scripts/kit-api --write"))
    }
}
