import Foundation
import TestKit
import TestThreads
import Testing

/// `make campaign NAME=distance` uploads 100 MB, other runs 20 MB.
@Suite("Campaign: distance", .blocksThreads, .runsAlone)
struct DistanceTests {
    /// The store does not depend on the protocol, so only one protocol is tested with both stores.
    @Test(
        "an upload uses the full bandwidth at a round trip of 50 ms",
        arguments: [("--http2-prior-knowledge", .embedded), ("--http1.1", .embedded), ("--http1.1", .shared)] as [(String, StoragePair)])
    func upload(_ version: String, _ pair: StoragePair) async throws {
        guard CampaignScale.runs("distance") else { return }
        let isFull = CampaignScale.isFull("distance")
        let installation = try Installation(pair)
        let server = try installation.node("one")
        let person = try installation.person()
        // A round trip of 50 ms.
        let proxy = try Proxy(toPort: server.port, latency: .milliseconds(25))
        let folder = try TemporaryFolder()
        let byteCount = isFull ? 50 * 1_048_576 : 20_000_000
        try Film.bytes(byteCount, isRandom: true).write(to: URL(filePath: folder.path + "/a.mp4"))
        let files =
            isFull ? ["-F", "file=@\(folder.path)/a.mp4", "-F", "file=@\(folder.path)/a.mp4"] : ["-F", "file=@\(folder.path)/a.mp4"]
        // radosgw shares the processor with the server, so the bar is lower with it.
        let bar = isFull && pair == .embedded ? 20.0 : 5
        let speed = try await Figure.measured(tries: isFull ? 1 : 3, until: { $0 > bar }) {
            let output = try Tool.run(
                "curl",
                [
                    "-s", version, "-o", "/dev/null", "-w", "%{http_code} %{time_total} %{size_upload}", "-H",
                    "Authorization: Bearer \(person.token)",
                ]
                    + files + ["http://127.0.0.1:\(proxy.port)\(person.library)/swift"]
            )
            .split(separator: " ").compactMap { Double($0) }
            try #require(output.count == 3)
            let speed = output[2] / output[1] / 1e6
            print("distance campaign, \(pair): \(version) \(Int(output[2])) bytes in \(output[1]) s: \(speed) MB/s")
            #expect(output[0] == 200)
            return speed
        }
        #expect(speed > bar)
        proxy.close()
        #expect(server.terminate() == 0)
    }
}
