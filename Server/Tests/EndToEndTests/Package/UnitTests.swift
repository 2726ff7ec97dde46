import Foundation
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The systemd unit", .blocksThreads)
struct UnitTests {
    @Test("systemd accepts it, and rates it as well protected")
    func verified() throws {
        let analyze = "/usr/bin/systemd-analyze"
        guard FileManager.default.isExecutableFile(atPath: analyze) else { return }
        // systemd requires that the program exists, so the built one replaces the installed one.
        let folder = try TemporaryFolder()
        let unit = folder.path + "/keepsake.service"
        try Self.text.replacing("/usr/bin/keepsake serve", with: ServerProcess.binary + " serve").write(
            toFile: unit, atomically: true, encoding: .utf8)
        let verify = try ServerProcess.run(["verify", "--man=no", unit], binary: analyze)
        #expect(verify.status == 0 && !verify.errors.contains("keepsake.service:"), "\(verify.errors)")
        // The thresholds are tenths of systemd's exposure level, from 0 (protected) to 100.
        let exposure = try ServerProcess.run(["security", "--offline=yes", "--no-pager", "--threshold=20", unit], binary: analyze)
        #expect(exposure.status == 0, "\(exposure.output.split(separator: "\n").last ?? "")")
        #expect(try ServerProcess.run(["security", "--offline=yes", "--no-pager", "--threshold=5", unit], binary: analyze).status != 0)
    }

    @Test("the time to stop is longer than the server's, and the server may open many files")
    func limits() throws {
        let text = try Self.text
        let seconds = try #require(text.firstMatch(of: /(?m)^TimeoutStopSec=(\d+)s$/)).output.1
        // The server takes up to ten seconds for requests and two for the log.
        #expect(try #require(Int(seconds)) > 12)
        #expect(text.contains("\nLimitNOFILE=65536\n") && !text.contains("MemoryMax="))
    }

    @Test("serve reports readiness to the service manager, at a path and at an abstract name", arguments: [false, true])
    func readiness(_ isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let address = isAbstract ? "@keepsake-\(UUID().uuidString)" : folder.path + "/notify"
        let listener = try DatagramSocket(at: address)
        let server = try ServerProcess(data: folder.path + "/data", environment: ["NOTIFY_SOCKET": address])
        #expect(try listener.receive() == "READY=1")
        #expect(server.terminate() == 0)
    }

    @Test("a service manager that is gone does not stop the server")
    func nobodyListens() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path + "/data", environment: ["NOTIFY_SOCKET": folder.path + "/gone"])
        #expect(server.terminate() == 0)
    }

    #if os(Linux)
        @Test("the server and the media worker's sandbox work under the unit's restrictions", .enabled(if: canRestrict))
        func restricted() throws {
            let folder = try TemporaryFolder()
            let state = "keepsake-test-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: "/var/lib/\(state)") }
            // The unit gets a user that exists and a folder of its own.
            let unit = folder.path + "/keepsake.service"
            try Self.text
                .replacing(/(?m)^User=.*$/, with: "User=nobody").replacing(/(?m)^Group=.*$/, with: "Group=nogroup")
                .replacing(/(?m)^StateDirectory=.*$/, with: "StateDirectory=\(state)")
                .replacing("/var/lib/keepsake", with: "/var/lib/\(state)")
                .replacing(/(?m)^Environment=KEEPSAKE_CONFIG=.*$/, with: "")
                .write(toFile: unit, atomically: true, encoding: .utf8)
            let script = Repository.folder + "/Server/Tests/EndToEndTests/Package/run_unit.py"
            let doctor = ["--", unit, ServerProcess.binary, "doctor", "--data", "/var/lib/\(state)"]
            let run = try ServerProcess.run(doctor, binary: script)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(run.output.contains("ok      sandbox: ") && run.output.contains("ok      media: "))
            // Control: without either of these calls the check fails, so the filter is in force, and the worker needs what the unit allows
            // it.
            for call in ["seccomp", "landlock_restrict_self"] {
                let control = try ServerProcess.run(["--without", call] + doctor, binary: script)
                #expect(control.status == 69 && control.output.contains("FAILED  sandbox: "), "\(call): \(control.output)\(control.errors)")
            }
        }
    #endif

    /// The script needs root for mounts. The unit hides programs below home folders and temporary folders.
    private static var canRestrict: Bool {
        geteuid() == 0 && !["/home/", "/root/", "/tmp/", "/var/tmp/"].contains { ServerProcess.binary.hasPrefix($0) }
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")
    }

    private static var text: String {
        get throws { try String(contentsOfFile: Repository.folder + "/deploy/keepsake.service", encoding: .utf8) }
    }
}

/// A Unix datagram socket, as systemd binds for sd_notify(3).
private struct DatagramSocket: ~Copyable {
    struct Failed: Error { let code: Int32 }

    private let handle: Int32

    /// - Parameter address: a path, or `@` and an abstract name.
    init(at address: String) throws {
        var name = Array(address.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        #if canImport(Glibc)
            handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
            handle = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count
        // A test must not wait for ever.
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let handle = handle
        let bound = withUnsafePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(handle, $0, socklen_t(length)) }
        }
        guard bound == 0 else { throw Failed(code: errno) }
    }

    deinit { close(handle) }

    func receive() throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(handle, &bytes, bytes.count, 0)
        guard count >= 0 else { throw Failed(code: errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
