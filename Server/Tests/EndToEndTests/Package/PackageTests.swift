import ArgumentParser
import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// The checks that need no release build. `make campaign NAME=package` installs, starts, upgrades and removes the package of a release
/// build.
@Suite("The package", .blocksThreads)
struct PackageTests {
    @Test("scripts/dist.sh packages the programs, with the libraries that they are linked with")
    func package() throws {
        let folder = try TemporaryFolder()
        let programs = URL(filePath: ServerProcess.binary).deletingLastPathComponent().path
        let built = try ServerProcess.run(
            ["--programs", programs, "--compression", "none", "--out", folder.path], binary: Repository.folder + "/scripts/dist.sh")
        try #require(built.status == 0, "\(built.output)\(built.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let package = folder.path + "/" + (try #require(names.first { $0.hasSuffix(".deb") }))
        #expect(names.contains { $0.hasPrefix("keepsake-\(Keepsake.version)-linux-") && $0.hasSuffix(".tar.gz") })

        let control = try Tool.run("dpkg-deb", ["--field", package])
        #expect(control.contains("\nVersion: \(Keepsake.version)\n"))
        let dependencies = try #require(control.split(separator: "\n").first { $0.hasPrefix("Depends: ") })
        for library in ["libc6", "libphonenumber8", "libpq5", "libsqlite3-0", "libvips42", "ffmpeg", "tzdata", "systemd"] {
            #expect(dependencies.contains(library), "\(dependencies)")
        }
        // Every field has a value.
        #expect(!control.contains(/@[A-Z_]+@/), "\(control)")
        #expect(!control.split(separator: "\n").contains { $0.hasSuffix(":") })

        let files = try Tool.run("dpkg-deb", ["--contents", package]).split(separator: "\n").map(String.init)
        for (path, mode) in [
            ("usr/lib/keepsake/keepsake", "-rwxr-xr-x"), ("usr/lib/keepsake/keepsake-media", "-rwxr-xr-x"),
            ("usr/lib/keepsake/libkeepsake-phone.so", "-rw-r--r--"), ("usr/lib/systemd/system/keepsake.service", "-rw-r--r--"),
            ("usr/lib/sysusers.d/keepsake.conf", "-rw-r--r--"), ("etc/keepsake/keepsake.yaml", "-rw-r-----"),
            ("usr/share/man/man1/keepsake.1.gz", "-rw-r--r--"), ("usr/share/bash-completion/completions/keepsake", "-rw-r--r--"),
            ("usr/share/zsh/vendor-completions/_keepsake", "-rw-r--r--"),
            ("usr/share/fish/vendor_completions.d/keepsake.fish", "-rw-r--r--"), ("usr/share/doc/keepsake/copyright", "-rw-r--r--"),
            ("usr/share/doc/keepsake/docs/operations.md", "-rw-r--r--"),
            ("usr/share/doc/keepsake/docs/operations/upgrades.md", "-rw-r--r--"),
        ] {
            let line = files.first { $0.hasSuffix(" ./" + path) }
            #expect(line?.hasPrefix(mode + " root/root") == true, "\(path): \(line ?? "missing")")
        }
        #expect(files.contains { $0.hasSuffix("./usr/bin/keepsake -> ../lib/keepsake/keepsake") })

        // The installed files match their checksums, and the scripts are valid.
        try Tool.run("dpkg-deb", ["--raw-extract", package, folder.path + "/root"])
        let checks = "md5sum --quiet --check DEBIAN/md5sums && for script in postinst prerm postrm; do sh -n DEBIAN/$script || exit 1; done"
        let checked = try ServerProcess.run(["-c", checks], binary: "/bin/sh", in: folder.path + "/root")
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
        #expect(try String(contentsOfFile: folder.path + "/root/DEBIAN/conffiles", encoding: .utf8) == "/etc/keepsake/keepsake.yaml\n")
    }

    @Test("the settings file of the package is a valid configuration, and production needs nothing more")
    func settings() async throws {
        var options = try Options.parse(["--config", Repository.folder + "/deploy/debian/keepsake.yaml"])
        let settings = try await Settings.read(options, environment: [:])
        #expect(settings.environment == .production && settings.dataFolder == "/var/lib/keepsake" && settings.host == "127.0.0.1")
        #expect(settings.registration == .invite)
        // The program also knows each setting that is commented out.
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Repository.folder + "/deploy/debian/keepsake.yaml", encoding: .utf8)
        let keys = text.matches(of: /(?m)^#? ?([a-z_]+): \S/).map { String($0.output.1) }
        #expect(keys.count >= 8 && keys.contains("database"))
        let help = Serve.helpMessage(columns: 200)
        for key in keys { #expect(help.contains("(KEEPSAKE_\(key.uppercased()))"), "\(key)") }
        // Control: a wrong value in the file is an error.
        let wrong = text.replacing("env: production", with: "env: prod")
        try wrong.write(toFile: folder.path + "/wrong.yaml", atomically: true, encoding: .utf8)
        options = try Options.parse(["--config", folder.path + "/wrong.yaml"])
        await #expect(throws: Settings.Wrong.self) { try await Settings.read(options, environment: [:]) }
    }

    @Test("the manual page describes every command and every option, and nothing that the program does not know")
    func manual() throws {
        let folder = try TemporaryFolder()
        let table = try ProgramTable.shared.get()
        try table.json.write(to: URL(filePath: folder.path + "/table.json"))
        let page = try ServerProcess.run(
            ["-c", "scripts/manual.py 1.2.3 0 < '\(folder.path)/table.json'"], binary: "/bin/sh", in: Repository.folder
        ).output.replacing("\\-", with: "-")
        #expect(page.hasPrefix(".TH KEEPSAKE 1 \"1970-01-01\" \"keepsake 1.2.3\""))
        for command in table.commands { #expect(page.contains("\\fB\(command)\\fR"), "\(command)") }
        for option in table.options { #expect(page.contains("\\fB\(option)\\fR"), "\(option)") }
        let clients = try #require(page.range(of: ".SH CLIENT COMMANDS\n"))
        #expect(
            page[..<clients.lowerBound].contains("\\fBkeepsake serve\\fR") && page[clients.upperBound...].contains("\\fBkeepsake login\\fR")
        )
        #expect(table.commands.count >= 15 && table.options.count >= 50)
        let described = Set(page.matches(of: /\\fB(--[a-z-]+)\\fR/).map { String($0.output.1) })
        #expect(described == table.options)
    }

    @Test("the completions of all three shells know every option", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) throws {
        let script = try ServerProcess.run(["--generate-completion-script", shell]).output
        for option in try ProgramTable.shared.get().options {
            // fish names an option without its dashes.
            #expect(script.contains(shell == "fish" ? "-l '\(option.dropFirst(2))'" : option), "\(option)")
        }
    }

    @Test("bash completes a command, and an option of a feature")
    func bash() throws {
        let folder = try TemporaryFolder()
        try ServerProcess.run(["--generate-completion-script", "bash"]).output
            .write(toFile: folder.path + "/keepsake", atomically: true, encoding: .utf8)
        func completed(_ words: [String]) throws -> String {
            let line = words.joined(separator: " ")
            let script = """
                source '\(folder.path)/keepsake'
                COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'; COMP_POINT=\(line.utf8.count)
                _keepsake keepsake '\(words[words.count - 1])' '\(words[words.count - 2])'
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            return try ServerProcess.run(["-c", script], binary: "/bin/bash").output
        }
        #expect(try completed(["keepsake", "serve", "--scrub"]).contains("--scrub-hours"))
        #expect(try completed(["keepsake", "do"]).contains("doctor"))
        #expect(try completed(["keepsake", "tim"]).contains("timeline"))
        #expect(try completed(["keepsake", "upload", "--pro"]).contains("--progress"))
        #expect(try !completed(["keepsake", "do"]).contains("serve"))
    }
}

/// The program's own table of commands and options: `keepsake --experimental-dump-help`.
struct ProgramTable: Sendable {
    /// Read once: the program takes seconds to write it in a debug build.
    static let shared = Result { try ProgramTable() }

    let json: Data
    /// The commands that can be run, such as `keepsake users reset`.
    private(set) var commands: Set<String> = []
    /// Long flags that `--help` shows, with their dashes.
    private(set) var options: Set<String> = []

    init() throws {
        json = Data(try ServerProcess.run(["--experimental-dump-help"]).output.utf8)
        let table = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        add(try #require(table["command"] as? [String: Any]), path: [])
    }

    private mutating func add(_ command: [String: Any], path: [String]) {
        let name = command["commandName"] as? String ?? ""
        guard command["shouldDisplay"] as? Bool == true, name != "help" else { return }
        let below = command["subcommands"] as? [[String: Any]] ?? []
        for argument in command["arguments"] as? [[String: Any]] ?? [] where argument["shouldDisplay"] as? Bool == true {
            for name in argument["names"] as? [[String: Any]] ?? [] where name["kind"] as? String == "long" {
                options.insert("--\(name["name"] as? String ?? "")")
            }
        }
        let commandsBelow = below.filter { $0["commandName"] as? String != "help" }
        if commandsBelow.isEmpty { commands.insert((path + [name]).joined(separator: " ")) }
        for one in commandsBelow { add(one, path: path + [name]) }
    }
}
