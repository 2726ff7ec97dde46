import Foundation
import TestKit
import TestThreads
import Testing

@Suite("scripts/new-feature", .blocksThreads)
struct NewFeatureTests {
    /// The files and folders that the script reads or writes.
    private static let sources = [
        "scripts/new-feature", "scripts/new-feature.d", "Kit/KeepsakeWire", "Server/Package.swift", "Server/Apps/keepsake/Features.swift",
    ]

    @Test("the generated feature compiles against the built modules, and only two files outside its folders change")
    func generated() throws {
        let folder = try TemporaryFolder()
        let copy = folder.path
        try Self.copySources(to: copy)
        let before = try Self.files(in: copy)
        try Tool.run(copy + "/scripts/new-feature", ["Postcards"])
        let after = try Self.files(in: copy)

        let edited = before.keys.filter { after[$0] != before[$0] }
        #expect(Set(edited) == ["Server/Package.swift", "Server/Apps/keepsake/Features.swift"])
        let added = after.keys.filter { before[$0] == nil }
        let own = ["Kit/KeepsakeWire/Postcards.swift", "Server/Features/Postcards/", "Server/Tests/PostcardsTests/"]
        for path in added { #expect(own.contains { path.hasPrefix($0) }, "\(path)") }
        for prefix in own { #expect(added.contains { $0.hasPrefix(prefix) }, "\(prefix)") }
        for path in added { #expect(after[path]?.range(of: Data("__".utf8)) == nil, "\(path)") }

        // Compile each module after those that it imports. `-I` lets the compiler find the new modules before the built ones of the same
        // name.
        let modules = copy + "/modules"
        try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
        try Data("enum PackageResources { static let openapi_yaml: [UInt8] = [] }".utf8)
            .write(to: URL(filePath: copy + "/Server/Features/Postcards/PackageResources.swift"))
        for (module, path, model) in [
            ("KeepsakeWire", "Kit/KeepsakeWire", "KeepsakeWire"), ("Postcards", "Server/Features/Postcards", "Moments"),
            ("PostcardsTests", "Server/Tests/PostcardsTests", "MomentsTests"),
        ] {
            let files = try Self.files(in: "\(copy)/\(path)").keys.filter { $0.hasSuffix(".swift") }.map { "\(copy)/\(path)/\($0)" }
            let options = ["-module-name", module, "-parse-as-library", "-wmo", "-emit-module", "-emit-module-path"]
            let flags = ["\(modules)/\(module).swiftmodule", "-I", modules] + (try Self.flags(of: model))
            try Tool.run("swiftc", options + flags + files.sorted())
        }
    }

    @Test("an invalid name and the name of an existing feature change nothing", arguments: [("postcards", 64), ("Moments", 65)])
    func refused(_ name: String, _ status: Int32) throws {
        let folder = try TemporaryFolder()
        let copy = folder.path
        try Self.copySources(to: copy)
        let before = try Self.files(in: copy)
        let process = Process()
        process.executableURL = URL(filePath: copy + "/scripts/new-feature")
        process.arguments = [name]
        process.standardError = FileHandle.nullDevice
        try process.run()
        #expect(process.waitForExit() == status)
        #expect(try Self.files(in: copy) == before)
    }

    // MARK: Files

    private static func copySources(to folder: String) throws {
        for path in sources {
            let target = URL(filePath: folder).appending(path: path)
            try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: URL(filePath: Repository.folder).appending(path: path), to: target)
        }
    }

    /// The contents of all files by their path relative to `folder`.
    private static func files(in folder: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            files[path] = try Data(contentsOf: URL(filePath: folder + "/" + path))
        }
        return files
    }

    /// The flags with which SwiftPM compiled a target of this build: the module search paths and the language settings.
    private static func flags(of target: String) throws -> [String] {
        let manifest = try String(contentsOfFile: Repository.folder + "/Server/.build/debug.yaml", encoding: .utf8)
        let start = try #require(manifest.range(of: "\"C.\(target)-"), "\(target) is not built")
        let line = try #require(manifest[start.upperBound...].range(of: "args: "))
        let text = manifest[line.upperBound...].prefix { $0 != "\n" }
        let all = try JSONDecoder().decode([String].self, from: Data(text.utf8))
        let withValue: Set = ["-I", "-Xcc", "-swift-version", "-package-name", "-enable-upcoming-feature", "-target", "-F"]
        var flags: [String] = []
        for (index, argument) in all.enumerated() {
            if withValue.contains(argument) {
                flags += [argument, all[index + 1]]
            } else if ["-enable-testing", "-warnings-as-errors"].contains(argument) || argument.hasPrefix("-D") {
                flags.append(argument)
            } else if argument.hasPrefix("-I"), all[index - 1] != "-Xcc" {
                flags.append(argument)
            }
        }
        return flags
    }
}
