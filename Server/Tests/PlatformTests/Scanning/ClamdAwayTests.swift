import Blobs
import Foundation
import MediaTools
import NIOCore
import TestKit
import TestThreads
import Testing

@Suite("Unavailable virus scanner", .serialized, .blocksThreads, .runsBesideFew)
struct ClamdAwayTests {
    private let hasty = ClamdLimits(progress: .seconds(1), verdict: .seconds(1), turn: .seconds(1))

    @Test("clamd gives no verdict when it is killed before, during or after the bytes, and does after a restart")
    func kills() async throws {
        let clamd = try ClamdService(port: 13_321)
        let file = ScanFixture.clean(8_388_608)
        for address in [clamd.address, clamd.socketAddress] {
            let fixture = ScanFixture(address)
            #expect(try await fixture.verdict(on: file) == .clean)

            let during = fixture.scanner.scan()
            try await ScanFixture.feed(file, to: during)
            try clamd.kill()
            #expect(await ScanFixture.reason { try await during.append(file) } != nil)
            #expect(await ScanFixture.reason { try await during.finish() } != nil)

            let refused = await ScanFixture.reason { try await fixture.verdict(on: file) }
            #expect(refused?.hasPrefix("no connection to \(address)") == true)

            try clamd.start()
            let after = fixture.scanner.scan()
            try await ScanFixture.feed(file, to: after)
            try clamd.pause()
            async let reason = ScanFixture.reason { try await after.finish() }
            try await Task.sleep(for: .milliseconds(500))
            try clamd.kill()
            #expect(await reason?.hasPrefix("it closed the connection without an answer") == true)

            try clamd.start()
            #expect(try await fixture.verdict(on: file) == .clean)
        }
    }

    @Test("A stalled clamd times out, while bytes are sent and while the verdict is awaited")
    func stalls() async throws {
        let clamd = try ClamdService(port: 13_322)
        let limits = ClamdLimits(progress: .milliseconds(500), verdict: .milliseconds(500), turn: .milliseconds(500))
        for address in [clamd.address, clamd.socketAddress] {
            let fixture = ScanFixture(address, limits)
            let sending = fixture.scanner.scan()
            try await ScanFixture.feed(ScanFixture.clean(100_000), to: sending)
            let waiting = fixture.scanner.scan()
            try await ScanFixture.feed(ScanFixture.clean(100_000), to: waiting)
            let file = ScanFixture.clean(104_857_600)
            try clamd.pause()
            var start = ContinuousClock.now
            #expect(await ScanFixture.reason { try await ScanFixture.feed(file, to: sending) } == "it has taken no bytes for 0.5 seconds")
            #expect(.now - start < .seconds(9))
            start = .now
            #expect(await ScanFixture.reason { try await waiting.finish() } == "it has not answered for 0.5 seconds")
            #expect(.now - start < .seconds(9))
            start = .now
            #expect(await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.clean(10)) } != nil)
            #expect(.now - start < .seconds(9))
            try clamd.resume()
            // Uses the default limits, because clamd has much to process after the pause.
            #expect(try await ScanFixture(address).verdict(on: ScanFixture.clean(10)) == .clean)
        }
    }

    @Test("The error for a file beyond StreamMaxLength is clamd's own text, although clamd stops reading")
    func streamLimit() async throws {
        let clamd = try ClamdService(port: 13_323, ["KEEPSAKE_CLAMD_LIMIT": "1M"])
        for address in [clamd.address, clamd.socketAddress] {
            let fixture = ScanFixture(address)
            for _ in 0..<10 {
                let reason = await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.infected(3_000_000, at: 10)) }
                #expect(reason == "it said: INSTREAM size limit exceeded. ERROR")
            }
            #expect(try await fixture.verdict(on: ScanFixture.clean(1_000_000)) == .clean)
        }
    }

    @Test(
        "Only a complete, exact reply to a whole file is a verdict",
        arguments: [
            "garbage\0", "\0", "stream: OK", "stream: O", "stream: OK\n", "stream: ok\0", "stream: OK \0", "OK\0", "1: stream: OK\0",
            "stream: FOUND\0", "stream:  FOUND\0", "stream: Some ERROR\0", "INSTREAM size limit exceeded. ERROR\0", "",
            String(repeating: "stream: OK", count: 2_000), "\u{0}stream: OK\0",
        ])
    func answers(_ reply: String) async throws {
        let standIn = try await StandInScanner(.afterLast, reply)
        let fixture = ScanFixture(standIn.address, hasty)
        for byteCount in [10, 1_000_000] {
            #expect(await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.clean(byteCount)) } != nil)
        }
    }

    @Test("Control: the stand-in's replies in clamd's format are verdicts")
    func control() async throws {
        let yes = try await StandInScanner(.afterLast, "stream: OK\0")
        #expect(try await ScanFixture(yes.address).verdict(on: ScanFixture.clean(1_000_000)) == .clean)
        let no = try await StandInScanner(.afterLast, "stream: A(b)é\u{7} FOUND\0")
        #expect(try await ScanFixture(no.address).verdict(on: ScanFixture.clean(10)) == .infected(name: "A(b)??"))
    }

    @Test("OK before the last byte is no verdict, but FOUND is", arguments: [StandInScanner.When.atOnce, .afterFirst])
    func early(_ when: StandInScanner.When) async throws {
        for closes in [true, false] {
            let yes = try await StandInScanner(when, "stream: OK\0", thenCloses: closes)
            let fixture = ScanFixture(yes.address, hasty)
            #expect(await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.clean(20_000_000)) } != nil)
            let no = try await StandInScanner(when, "stream: Worm FOUND\0", thenCloses: closes)
            let finder = ScanFixture(no.address)
            // If the stand-in closes at once, the connection may be gone before the scanner can read the verdict. Then the test tries
            // again.
            for attempt in 1...5 {
                do {
                    #expect(try await finder.verdict(on: ScanFixture.clean(20_000_000)) == .infected(name: "Worm"))
                    break
                } catch is ScannerUnavailable where closes && when == .atOnce && attempt < 5 {
                    continue
                }
            }
        }
    }

    @Test("A scanner that accepts everything and never replies times out")
    func mute() async throws {
        let standIn = try await StandInScanner(.afterLast, nil)
        let fixture = ScanFixture(standIn.address, hasty)
        #expect(
            await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.clean(200_000)) }
                == "it has not answered for 1.0 seconds")
    }

    @Test("Connections are bounded: a waiting scan gets the next one or an error after a timeout, and idle ones are reused")
    func turns() async throws {
        var limits = hasty
        limits.connections = 2
        limits.waiting = 1
        let fixture = ScanFixture(ScanFixture.address, limits)
        let held = [fixture.scanner.scan(), fixture.scanner.scan()]
        for scan in held { try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan) }
        #expect(await ScanFixture.reason { try await fixture.verdict(on: ScanFixture.clean(10)) } == "all its connections are in use")
        for scan in held { await scan.abort() }

        limits = ClamdLimits()
        (limits.connections, limits.waiting) = (2, 1)
        let busy = ScanFixture(ScanFixture.address, limits)
        let taken = [busy.scanner.scan(), busy.scanner.scan()]
        for scan in taken { try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan) }
        async let patient = busy.verdict(on: ScanFixture.clean(10))
        try await Task.sleep(for: .milliseconds(500))
        #expect(await ScanFixture.reason { try await busy.verdict(on: ScanFixture.clean(10)) } == "all its connections are in use")
        await taken[0].abort()
        #expect(try await patient == .clean)
        #expect(try await taken[1].finish() == .clean)
        for _ in 0..<20 {
            let dropped = busy.scanner.scan()
            try await ScanFixture.feed(ScanFixture.clean(70_000), to: dropped)
        }
        #expect(try await busy.verdict(on: ScanFixture.infected(70_000, at: 0)) == ScanFixture.eicar)
    }
}

/// Runs alone, because it measures the memory of this process.
@Suite("Memory of stalled scans", .blocksThreads, .runsAlone)
struct ClamdMemoryTests {
    @Test("A stalled scanner that gets 100 MB causes backpressure, and memory does not grow")
    func memory() async throws {
        let clamd = try ClamdService(port: 13_324)
        let fixture = ScanFixture(clamd.socketAddress, ClamdLimits(progress: .seconds(2)))
        try clamd.pause()
        let piece = ScanFixture.clean(65_536)
        let grown = await Figure.measured(until: { $0 < 8_388_608 }) {
            let before = ScanFixture.residentByteCount
            let scans = (0..<20).map { _ in fixture.scanner.scan() }
            let taken = await withTaskGroup(of: Int.self) { group in
                for scan in scans {
                    group.addTask {
                        var taken = 0
                        for _ in 0..<1_600 {
                            do { try await scan.append(piece) } catch { break }
                            taken += piece.readableBytes
                        }
                        return taken
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let grown = ScanFixture.residentByteCount - before
            print("20 stalled scans fed 100 MB each: at most \(taken.max()! / 1_024) KB taken, memory grew by \(grown / 1_024) KB")
            #expect(taken.max()! < 1_048_576)
            return grown
        }
        #expect(grown < 8_388_608)
    }
}
