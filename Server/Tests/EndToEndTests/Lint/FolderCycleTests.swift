import Foundation
import TestKit
import TestThreads
import Testing

@Suite("The check of make lint for cycles of folders", .blocksThreads)
struct FolderCycleTests {
    /// Writes a module of two folders and has it checked.
    private func check(store: String, rules: String) throws -> (status: Int32, errors: String) {
        let folder = try TemporaryFolder()
        for (path, text) in ["Store/NoteStore.swift": store, "Rules/NoteRules.swift": rules] {
            let file = URL(filePath: folder.path).appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let done = try ServerProcess.run([folder.path], binary: Repository.folder + "/scripts/folder-cycles")
        return (done.status, done.errors)
    }

    @Test("two folders that use each other's types are found, and the message names the files and the types")
    func cycle() throws {
        let done = try check(
            store: "struct NoteStore { func add(_ text: String) throws { try NoteRules.check(text) } }\n",
            rules: "enum NoteRules {\n    static func check(_ text: String) throws {}\n    static let store: NoteStore? = nil\n}\n")
        #expect(done.status == 1)
        #expect(done.errors.contains("Rules -> Store: Rules/NoteRules.swift uses NoteStore of Store/NoteStore.swift"))
        #expect(done.errors.contains("Store -> Rules: Store/NoteStore.swift uses NoteRules of Rules/NoteRules.swift"))
    }

    @Test("comments, texts, nested types and generic parameters of the same name make no cycle")
    func harmless() throws {
        let done = try check(
            store: "struct NoteStore { let rules: NoteRules }\nstruct Output {}\n",
            rules: """
                /// What `NoteStore` asks.
                struct NoteRules {
                    let text = "NoteStore"
                    func map<Output>(_ transform: (String) -> Output) -> Output { transform(text) }
                }
                enum Inner {
                    struct NoteStore { let other: NoteStore? }
                }

                """)
        #expect(done.status == 0, "\(done.errors)")
    }
}
