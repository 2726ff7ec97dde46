import Blobs
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Probe of the scanner's limits", .serialized, .blocksThreads)
struct ClamdProbeTests {
    @Test(
        "The probe passes if clamd reads the largest upload to its end, also if it detects EICAR only as a separate file",
        arguments: ["*", "0"])
    func passes(_ offset: String) async throws {
        let clamd = try ClamdService(port: 13_331, ["KEEPSAKE_CLAMD_OFFSET": offset])
        let report = try await ScanFixture(clamd.address).scanner.probe()
        print(report)
        #expect(report.version.hasPrefix("ClamAV "))
        #expect(report.byteCount == 104_857_600)
    }

    @Test(
        "The probe's error names the clamd setting to change",
        arguments: [
            (["KEEPSAKE_CLAMD_LIMIT": "50M"], "size limit exceeded"),
            (["KEEPSAKE_CLAMD_FILE_LIMIT": "50M", "KEEPSAKE_CLAMD_ALERTS": "no"], "StreamMaxLength and MaxFileSize"),
            (["KEEPSAKE_CLAMD_FILE_LIMIT": "50M", "KEEPSAKE_CLAMD_ALERTS": "yes"], "Heuristics.Limits.Exceeded"),
        ])
    func fails(_ options: [String: String], _ words: String) async throws {
        let clamd = try ClamdService(port: 13_332, options)
        let fixture = ScanFixture(clamd.address)
        let reason = await ScanFixture.reason { try await fixture.scanner.probe() }
        #expect(reason?.contains(words) == true, "\(reason ?? "passed")")
    }

    @Test("The probe ends at its timeout")
    func bounded() async throws {
        let clamd = try ClamdService(port: 13_333)
        try clamd.pause()
        let start = ContinuousClock.now
        let reason = await ScanFixture.reason { try await ScanFixture(clamd.address).scanner.probe(within: .seconds(1)) }
        #expect(reason != nil)
        #expect(.now - start < .seconds(30))
    }

    @Test("An address is unix:/path or tcp:host:port; anything else is invalid")
    func addresses() {
        for text in ["unix:/run/clamav/clamd.ctl", "tcp:127.0.0.1:3310", "tcp:scanner:3310", "tcp:[::1]:3310"] {
            #expect(ClamdAddress(text)?.description == text)
        }
        for text in [
            "", "unix:", "unix:run", "tcp:", "tcp:host", "tcp::3310", "tcp:host:0", "tcp:host:65536", "tcp:::1:3310", "http://host:1",
            "tcp:host:", "unix:/" + String(repeating: "a", count: 107), "127.0.0.1:3310",
        ] {
            #expect(ClamdAddress(text) == nil, "\(text)")
        }
    }
}
