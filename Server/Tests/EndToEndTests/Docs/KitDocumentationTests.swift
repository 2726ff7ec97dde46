import Foundation
import TestKit
import TestThreads
import Testing

/// The documents of the client library: its DocC catalogue, README.md and docs/api.md.
@Suite("The client library's documents", .blocksThreads)
struct KitDocumentationTests {
    private static let catalogue = Repository.folder + "/Kit/KeepsakeKit/KeepsakeKit.docc"

    @Test("every Swift sample is one that the tests compile, and every compiled one is shown")
    func samples() throws {
        let compiled = try Self.compiled()
        #expect(compiled.count >= 15)
        var shown: Set<String> = []
        let articles = try FileManager.default.contentsOfDirectory(atPath: Self.catalogue).filter { $0.hasSuffix(".md") }
        #expect(articles.count >= 11)
        for path in ["README.md", "docs/api.md"] + articles.map({ "Kit/KeepsakeKit/KeepsakeKit.docc/" + $0 }) {
            let samples = try Self.samples(in: String(contentsOfFile: Repository.folder + "/" + path, encoding: .utf8))
            for sample in samples {
                #expect(compiled.contains(sample), "\(path) has a sample that Server/Tests/KitTests/Snippets does not compile:\n\(sample)")
            }
            shown.formUnion(samples)
        }
        for sample in compiled { #expect(shown.contains(sample), "no document shows this:\n\(sample)") }
    }

    @Test("README's second section is an app of about ten lines")
    func readme() throws {
        let text = try String(contentsOfFile: Repository.folder + "/README.md", encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ")
        try #require(sections.count > 3)
        let sample = try #require(Self.samples(in: sections[2]).first)
        #expect(sample.contains("import KeepsakeKit") && sample.split(separator: "\n").count <= 14)
    }

    // One test with one run, because docc takes seconds of processor time. It must report the two links that lead nowhere, and nothing
    // else.
    @Test("docc builds the catalogue and finds no fault in it but those of a page that was added: links to no symbol and to no article")
    func builds() throws {
        let folder = try TemporaryFolder()
        let copy = folder.path + "/KeepsakeKit.docc"
        try FileManager.default.copyItem(atPath: Self.catalogue, toPath: copy)
        try "# Wrong\n\nSee ``Keepsake/nothing`` and <doc:Nowhere>.\n".write(toFile: copy + "/Wrong.md", atomically: true, encoding: .utf8)
        let found = try Self.diagnose(copy, in: folder.path)
        #expect(found.count == 2, "\(found)")
        #expect(found.contains { $0.contains("nothing") } && found.contains { $0.contains("Nowhere") }, "\(found)")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/site/data/documentation/keepsakekit/gettingstarted.json"))
        #expect(FileManager.default.fileExists(atPath: folder.path + "/site/data/documentation/keepsakekit/auth.json"))
    }

    /// - Returns: docc's warnings, without those about undocumented parameters, because the names of many parameters say enough.
    private static func diagnose(_ catalogue: String, in folder: String) throws -> [String] {
        struct Report: Decodable {
            struct Diagnostic: Decodable {
                let summary: String
                let severity: String
            }
            let diagnostics: [Diagnostic]
        }
        let modules = URL(filePath: ServerProcess.binary).deletingLastPathComponent().path + "/Modules"
        let docc = try ServerProcess.run(
            [folder + "/site", "--diagnostics-file", folder + "/diagnostics.json"], binary: Repository.folder + "/scripts/kit-docs",
            environment: ["KEEPSAKE_MODULES": modules, "KEEPSAKE_CATALOGUE": catalogue])
        #expect(docc.status == 0, "\(docc.errors)")
        let data = try Data(contentsOf: URL(filePath: folder + "/diagnostics.json"))
        return try JSONDecoder().decode(Report.self, from: data).diagnostics.map { "\($0.severity): \($0.summary)" }
            .filter { !$0.contains("is missing documentation") }
    }

    /// The Swift samples of a document.
    private static func samples(in text: String) throws -> [String] {
        text.matches(of: /(?m)^```swift\n((?:.*\n)*?)```$/).map { String($0.output.1) }
    }

    /// The samples that the tests compile, without their indentation in the tests' files.
    private static func compiled() throws -> Set<String> {
        let folder = Repository.folder + "/Server/Tests/KitTests/Snippets/"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("Snippets") }
        var compiled: Set<String> = []
        for file in files {
            let text = try String(contentsOfFile: folder + file, encoding: .utf8)
            for match in text.matches(of: /(?m)^( *)\/\/ snippet: [\w-]+\n((?:.*\n)*?) *\/\/ end$/) {
                let lines = match.output.2.split(separator: "\n", omittingEmptySubsequences: false)
                compiled.insert(
                    lines.map { $0.isEmpty ? "" : String($0.dropFirst(match.output.1.count)) }.joined(separator: "\n"))
            }
        }
        return compiled
    }
}
