import Foundation
import Testing

@Suite("The names of metrics in the operators' pages")
struct MetricNamesTests {
    private static let folder = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    /// The names of all metrics that the sources register. A source that contains no help text registers none.
    private static func exported() throws -> Set<String> {
        var names: Set<String> = []
        for part in ["Apps", "Features", "Platform"] {
            let root = folder.appending(path: "Server").appending(path: part)
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.path) where path.hasSuffix(".swift") {
                // Search the bytes first, which is ten times as fast as searching characters. Few sources have a help text.
                let bytes = try Data(contentsOf: root.appending(path: path))
                guard ["help: ", "help["].contains(where: { bytes.range(of: Data($0.utf8)) != nil }) else { continue }
                let source = String(decoding: bytes, as: UTF8.self)
                names.formUnion(source.matches(of: /"((?:keepsake|process)_[a-z0-9_]+)"/).map { String($0.output.1) })
            }
        }
        return names
    }

    @Test("every metric that the server exports is in docs/operations, and docs/operations names no other")
    func names() throws {
        let exported = try Self.exported()
        // One metric of each kind of source: the server, the platform of the features, the object store.
        for name in ["keepsake_connections", "keepsake_http_requests_total", "keepsake_s3_errors_total", "process_open_fds"] {
            #expect(exported.contains(name))
        }
        var documented: Set<String> = []
        let pages = Self.folder.appending(path: "docs/operations")
        for page in try FileManager.default.contentsOfDirectory(atPath: pages.path) where page.hasSuffix(".md") {
            let found = try Self.text(pages.appending(path: page)).matches(of: /\b(?:keepsake|process)_[a-z][a-z0-9_]*/)
            documented.formUnion(found.map { String($0.output) })
        }
        #expect(exported.subtracting(documented).sorted() == [])
        #expect(documented.subtracting(exported).sorted() == [])
    }
}
