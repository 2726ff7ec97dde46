import Foundation
import TestKit
import TestThreads
import Testing

/// The server opens connections only to what its settings name. strace lists the connections of the server and of its media workers.
@Suite(
    "Connections of a server that takes captures", .enabled(if: TracedServer.strace != nil, "strace is not installed"), .blocksThreads)
struct CaptureConnectionTests {
    @Test(
        "only the database, the object store, the scanner and the provider are connected to, whatever captures say",
        arguments: StoragePair.allCases)
    func named(_ pair: StoragePair) async throws {
        try await ModelStandIn.run(usual: .writes(Self.answer)) { standIn in
            let installation = try Installation(pair, clamd: ClamdService.everybodys, settings: Self.settings(standIn))
            let seen = try await Self.connections(installation)
            var named = [Self.address(standIn.url), Self.address(ClamdService.everybodys)]
            if pair == .shared { named += [Self.address(installation.database), "127.0.0.1:\(CephService.sharedPort)"] }
            #expect(seen == Set(named), "connected to \(seen.sorted())")
            #expect(!standIn.calls.isEmpty)
        }
    }

    @Test("control: a connection that no setting but one allows is seen")
    func control() async throws {
        try await ModelStandIn.run(usual: .writes(Self.answer)) { standIn in
            let installation = try Installation(.embedded, settings: Self.settings(standIn))
            let seen = try await Self.connections(installation)
            #expect(seen == [Self.address(standIn.url)])
        }
    }

    /// A model's answer that contains addresses, too.
    private static let answer = ModelStandIn.analysis(
        imageSummary: "See http://canary.invalid/summary", names: ["http://canary.invalid/name", "John"],
        keyMoment: "http://192.0.2.1/moment")

    private static func settings(_ standIn: ModelStandIn) -> [String: String] {
        ["KEEPSAKE_ANALYZER": "openai", "KEEPSAKE_ANALYZER_URL": standIn.url]
    }

    /// Runs a server under strace, sends it a file and captures full of addresses, and waits until they are processed.
    private static func connections(_ installation: Installation) async throws -> Set<String> {
        let traced = try TracedServer()
        let person = try installation.person()
        let server = try installation.node("one", binary: traced.binary)
        #expect(try await CampaignUpload.send(MultipartBody.file("a.mp4", Film.bytes(1_000)), server.port, person) == 200)
        let phone = try CapturePhone(server, person)
        // Addresses for documentation (RFC 5737), of a cloud's metadata service, of this machine, and names that nobody can own (RFC 2606).
        let addresses = [
            "http://192.0.2.1/a.jpg", "https://canary.invalid/a.m4a", "http://169.254.169.254/latest/meta-data/",
            "http://127.0.0.1:9/a.jpg", "http://[::1]:9/a.jpg", "file:///etc/passwd", "ftp://192.0.2.2/a", "//canary.invalid/a",
            "gopher://192.0.2.3:70/1",
        ]
        for (number, address) in addresses.enumerated() {
            let fields = [
                "photoURL": address, "audioURL": address, "location": address, "callback": address, "webhook": address,
                "transcription": "Met John, who wrote \(address) down. Mary.Canary.invalid was there.",
            ]
            _ = try phone.take("c\(number)", fields)
            // This capture has no words. If it had a recording, the server would transcribe that first.
            _ = try phone.take("s\(number)", ["photoURL": address, "audioURL": address])
        }
        for _ in 0..<600 {
            let found = try await StoredCaptures.read(installation.database, of: person)
            if found.count == 2 * addresses.count, found.processed == found.count { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        let found = try await StoredCaptures.read(installation.database, of: person)
        #expect(found.processed == 2 * addresses.count, "\(found)")
        #expect(server.terminate() == 0)
        return try await traced.connections()
    }

    /// Host and port of a URL or of a setting like `tcp:127.0.0.1:13310`.
    private static func address(_ text: String) -> String {
        text.firstMatch(of: /([0-9.]+:[0-9]+)/).map { String($0.1) } ?? text
    }
}

/// Runs `keepsake` under strace.
final class TracedServer {
    static let strace = ["/usr/bin/strace", "/bin/strace", "/usr/local/bin/strace"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let folder: TemporaryFolder
    private var log: String { folder.path + "/trace" }
    /// A script that starts the server; pass it as the server's program.
    let binary: String

    init() throws {
        folder = try TemporaryFolder()
        binary = folder.path + "/keepsake"
        // -D: the tracer is a process of its own, so that signals reach the server.
        let script = """
            #!/bin/sh
            exec \(Self.strace ?? "strace") -D -f --seccomp-bpf -qq -e trace=connect,sendto,sendmsg,sendmmsg -o '\(folder.path)/trace' \\
                '\(ServerProcess.binary)' "$@"

            """
        try script.write(toFile: binary, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: binary)
    }

    /// The addresses that the server and its children have connected or sent to, as `host:port`; for a Unix socket its path. The socket of
    /// the machine's name service cache (nscd) is left out, because the server also looks up users there. A look-up of a host that the
    /// cache does not know connects to port 53, which is not left out.
    func connections() async throws -> Set<String> {
        // The tracer writes its last lines after the server has exited.
        try await Task.sleep(for: .milliseconds(300))
        let text = try String(contentsOfFile: log, encoding: .utf8)
        var found: Set<String> = []
        for line in text.split(separator: "\n") {
            if let match = line.firstMatch(of: /sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)/) {
                found.insert("\(match.2):\(match.1)")
            } else if let match = line.firstMatch(of: /sin6_port=htons\((\d+)\).*inet_pton\(AF_INET6, "([^"]+)"/) {
                found.insert("[\(match.2)]:\(match.1)")
            } else if let match = line.firstMatch(of: /sa_family=AF_UNIX, sun_path="([^"]+)"/), !match.1.contains("nscd") {
                found.insert(String(match.1))
            }
        }
        return found
    }
}
