import Foundation
import TestKit
import TestThreads
import Testing
import Yams

/// Tests may run where containers cannot, so these compare the deployment files with what they refer to.
@Suite("Deployment files", .blocksThreads)
struct DeployTests {
    @Test("the program knows every setting that the files name")
    func settings() throws {
        let help = try ServerProcess.run(["serve", "--help"]).output
        for file in ["compose.yaml", "Dockerfile", "keepsake.service", "nginx.conf"] {
            let text = try Self.text(file)
            for match in text.matches(of: /KEEPSAKE_[A-Z_]+/) {
                // Only compose.yaml uses this variable.
                if match.output == "KEEPSAKE_DOMAIN" { continue }
                #expect(help.contains("(\(match.output))"), "\(file): \(match.output)")
            }
        }
    }

    @Test("the services of compose.yaml refer to existing services, files and volumes")
    func compose() throws {
        let parsed = try Yams.load(yaml: Self.text("compose.yaml"))
        let compose = try #require(parsed as? [String: Any])
        let services = try #require(compose["services"] as? [String: [String: Any]])
        #expect(Set(services.keys) == ["keepsake", "caddy", "postgres", "clamd"])
        let volumes = Set((compose["volumes"] as? [String: Any] ?? [:]).keys)
        let networks = Set((compose["networks"] as? [String: Any] ?? [:]).keys)
        for (name, service) in services {
            let needed = (service["depends_on"] as? [String: Any]).map { Array($0.keys) } ?? service["depends_on"] as? [String] ?? []
            #expect(Set(services.keys).isSuperset(of: needed), "\(name)")
            #expect(networks.isSuperset(of: (service["networks"] as? [String: Any] ?? [:]).keys), "\(name)")
            for volume in service["volumes"] as? [String] ?? [] {
                let source = String(volume.prefix { $0 != ":" })
                let isThere = source.hasPrefix("./") ? Self.exists("deploy/" + source.dropFirst(2)) : volumes.contains(source)
                #expect(isThere, "\(name): \(volume)")
            }
        }
    }

    @Test("the files that the Dockerfile copies exist, and it drops privileges")
    func dockerfile() throws {
        let lines = try Self.text("Dockerfile").split(separator: "\n")
        for line in lines where line.hasPrefix("COPY ") && !line.contains("--from") && !line.contains("Package.resolve") {
            let source = line.split(separator: " ")[1]
            #expect(Self.exists(String(source)), "\(line)")
        }
        // SwiftPM reads a manifest as a whole, so the build stage must hold the folder of every target.
        let folders = try Self.targetFolders(of: "") + Self.targetFolders(of: "Server/")
        let copied = lines.filter { $0.hasPrefix("COPY ") && !$0.contains("--from") }.map { $0.split(separator: " ")[1] }
        #expect(folders.count > 10, "the manifests name their targets' folders")
        for folder in folders {
            let isCopied = copied.contains { folder == $0 || folder.hasPrefix($0 + "/") }
            #expect(isCopied, "\(folder)")
        }
        #expect(lines.contains("USER keepsake") && lines.contains { $0.contains("/health/ready") })
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOfFile: Repository.folder + "/deploy/" + file, encoding: .utf8)
    }

    /// The existing folders that the manifest in `package` names, as paths relative to the repository.
    private static func targetFolders(of package: String) throws -> [String] {
        let manifest = try String(contentsOfFile: Repository.folder + "/" + package + "Package.swift", encoding: .utf8)
        return Set(manifest.matches(of: /"([A-Z][A-Za-z]*\/[A-Za-z\/]*)/).map { package + $0.output.1 }).filter(exists).sorted()
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: Repository.folder + "/" + path) }
}
