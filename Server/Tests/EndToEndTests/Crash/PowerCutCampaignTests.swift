import Foundation
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Needs root, a loop device and some minutes, so only `make campaign NAME=powercut` runs it.
@Suite("Campaign: powercut", .enabled(if: CampaignScale.isFull("powercut")), .serialized, .blocksThreads)
struct PowerCutCampaignTests {
    @Test("a hundred power cuts lose nothing acknowledged")
    func cut() async throws {
        let report = try await run(rounds: 100, environment: [:])
        print("powercut campaign: \(report.line)")
        #expect(report.acknowledged > 1_000)
        #expect(report.lost == 0 && report.halfFiles == 0)
        #expect(report.verifyFailures.isEmpty, "\(report.verifyFailures)")
    }

    @Test("control: the same campaign loses data when syncs do nothing")
    func control() async throws {
        // libeatmydata disables fsync and similar calls, so the program needs no switch for it.
        let report = try await run(rounds: 10, environment: ["LD_PRELOAD": "libeatmydata.so"])
        print("powercut control, without syncs: \(report.line)")
        #expect(report.lost > 0)
    }

    private func run(rounds: Int, environment: [String: String]) async throws -> CrashCampaign.Report {
        let folder = try TemporaryFolder()
        let disk = try LoopDisk(image: folder.path + "/disk.img", mountPoint: folder.path + "/disk")
        defer { disk.unmount() }
        var campaign = CrashCampaign(
            crash: { server in
                try disk.cutPower()
                server.killNow()
                disk.unmount()
                try disk.mount()
            }, data: folder.path + "/disk/data", environment: environment.merging(["KEEPSAKE_RATE_LIMITS": "off"]) { $1 })
        return try await campaign.run(rounds: rounds) { CampaignScale.progress($0, of: rounds) }
    }
}

/// An ext4 file system in a file. It can simulate a power cut, which loses all unsynced data.
private struct LoopDisk {
    let image: String
    let mountPoint: String

    struct Failed: Error { let step: String }

    init(image: String, mountPoint: String) throws {
        self.image = image
        self.mountPoint = mountPoint
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        try Self.run(["truncate", "-s", "4G", image])
        try Self.run(["mkfs.ext4", "-q", image])
        try mount()
        // Creates the data folder before the first cut, as in a real installation.
        try FileManager.default.createDirectory(atPath: mountPoint + "/data", withIntermediateDirectories: true)
        sync()
    }

    func mount() throws { try Self.run(["mount", "-o", "loop", image, mountPoint]) }

    func unmount() { try? Self.run(["umount", mountPoint]) }

    /// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: after it, nothing reaches the device, not even the journal.
    func cutPower() throws {
        let descriptor = open(mountPoint, O_RDONLY)
        guard descriptor >= 0 else { throw Failed(step: "open") }
        defer { close(descriptor) }
        var flags: UInt32 = 2
        guard ioctl(descriptor, 0x8004_587D, &flags) == 0 else { throw Failed(step: "shutdown") }
    }

    private static func run(_ words: [String]) throws {
        let run = try ServerProcess.run(words, binary: "/usr/bin/env")
        guard run.status == 0 else { throw Failed(step: words.joined(separator: " ") + ": " + run.errors) }
    }
}
