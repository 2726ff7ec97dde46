import Blobs
import Core
import NIOCore
import TestThreads
import Testing

@testable import MediaTools

@Suite("Files that are scanned while they arrive", .blocksThreads)
struct ClamdStreamTests {
    @Test("Unfinished files use half of the connections at most, and accounts and networks have shares; a complete file does not wait")
    func shares() async throws {
        let standIn = try await StandInScanner(.afterLast, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(connections: 16, patience: .seconds(600)))
        var scans: [any ScanStream] = []
        var counts: [Int] = []
        for network in 1...3 {
            for account in 1...3 {
                for _ in 1...3 {
                    let scan = fixture.scanner.scanWhileArriving()
                    try await Requester(account: "\(network) \(account)", network: Network(ipv4: UInt32(network))).run {
                        try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan)
                    }
                    scans.append(scan)
                }
                counts.append(fixture.scanner.connections.heldCount)
            }
        }
        // All files hold at most eight connections, those of one account two, and those of one network four.
        #expect(counts == [2, 4, 4, 6, 8, 8, 8, 8, 8])
        #expect(try await fixture.verdict(on: ScanFixture.clean(100_000)) == .clean)
        var postponed = 0
        for scan in scans {
            do {
                #expect(try await scan.finish() == .clean)
            } catch is ScanPostponed {
                postponed += 1
            }
        }
        #expect(postponed == scans.count - 8)
        #expect(fixture.scanner.connections.heldCount == 0 && fixture.scanner.streams.heldCount == 0)
    }

    @Test("A file whose client is slow frees its connection, and must be scanned when it is complete", arguments: [true, false])
    func slow(isSlow: Bool) async throws {
        let standIn = try await StandInScanner(.afterLast, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(patience: isSlow ? .zero : .seconds(600)))
        let scan = fixture.scanner.scanWhileArriving()
        // The connection opens with the first chunk of 64 KiB.
        try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan)
        #expect(fixture.scanner.connections.heldCount == (isSlow ? 0 : 1))
        if isSlow {
            await #expect(throws: ScanPostponed.self) { try await scan.finish() }
        } else {
            #expect(try await scan.finish() == .clean)
        }
    }

    @Test("A client that sends a few bytes now and then is slow, however often it sends")
    func trickle() async throws {
        let standIn = try await StandInScanner(.afterLast, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(patience: .milliseconds(5_500)))
        let scan = fixture.scanner.scanWhileArriving()
        try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan)
        #expect(fixture.scanner.connections.heldCount == 1)
        let end = ContinuousClock.now + .seconds(9)
        while fixture.scanner.connections.heldCount > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(50))
            try await scan.append(ByteBuffer(bytes: [0]))
        }
        #expect(fixture.scanner.connections.heldCount == 0)
        await #expect(throws: ScanPostponed.self) { try await scan.finish() }
    }

    @Test("A file that is complete before it needs a connection waits for one like any other")
    func small() async throws {
        let standIn = try await StandInScanner(.afterLast, "stream: OK\0")
        let fixture = ScanFixture(standIn.address, ClamdLimits(connections: 2, patience: .seconds(600)))
        let held = fixture.scanner.scanWhileArriving()
        try await ScanFixture.feed(ScanFixture.clean(70_000), to: held)
        let scan = fixture.scanner.scanWhileArriving()
        try await ScanFixture.feed(ScanFixture.clean(1_000), to: scan)
        #expect(try await scan.finish() == .clean)
        await held.abort()
        #expect(fixture.scanner.connections.heldCount == 0)
    }
}
