import Core
import Foundation
import MediaFrames
import TestKit
import TestThreads
import Testing

@testable import MediaTools

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Turns of long media jobs", .blocksThreads)
struct LongJobTurnsTests {
    private typealias Turns = WorkerTurns<String>

    private static func entry(_ id: UInt64, _ account: String, network: UInt32, isLong: Bool = true) -> Turns.Entry {
        Turns.Entry(id: id, requester: Requester(account: account, network: Network(ipv4: network)), isLong: isLong, job: "\(account)\(id)")
    }

    private static var turns: Turns { Turns(.init(waiting: 400, perRequester: 50, perNetwork: 80, workers: 2)) }

    /// Runs jobs one after another, until none waits.
    /// - Parameter time: how long the job takes, in milliseconds.
    private static func drain(_ turns: inout Turns, from begin: UInt64 = 0, _ time: (String) -> UInt64) -> [String] {
        var (now, jobs) = (begin, [String]())
        while let next = turns.next(at: now) {
            now += time(next.job)
            turns.finished(next, at: now)
            jobs.append(next.job)
        }
        return jobs
    }

    @Test("short jobs of somebody who has done much long work do not make all others equal: a recording waits for one job, not for four")
    func ownOrder() throws {
        var turns = Self.turns
        var id: UInt64 = 0
        func add(_ account: String, _ network: UInt32, isLong: Bool, _ jobClass: Turns.Class) throws {
            id += 1
            try turns.enqueue(Self.entry(id, account, network: network, isLong: isLong), jobClass)
        }
        // Four accounts upload recordings all the time, and photos between them, as the victim does.
        for round in 0..<8 {
            for number in UInt32(1)...4 {
                try add("eve\(number)-", number, isLong: true, .inspection)
                if round % 2 == 0 { try add("eve\(number)-", number, isLong: false, .inspection) }
            }
        }
        try add("bob", 9, isLong: false, .inspection)
        try add("bob", 9, isLong: true, .inspection)
        var now: UInt64 = 0
        var (others, wasFound) = (0, false)
        while !wasFound, let next = turns.next(at: now) {
            now += next.isLong && !next.job.hasPrefix("bob") ? 3_400 : 50
            turns.finished(next, at: now)
            wasFound = next.job.hasPrefix("bob") && next.isLong
            if next.isLong, !wasFound { others += 1 }
        }
        #expect(wasFound && others <= 4, "\(others)")
        try add("bob", 9, isLong: false, .later)
        try add("bob", 9, isLong: true, .later)
        let jobs = Self.drain(&turns, from: now) { $0.hasPrefix("bob") ? 50 : 3_400 }
        let place = try #require(jobs.firstIndex(of: "bob\(id)"))
        #expect(place <= 3, "\(jobs)")
    }

    @Test("a short recording is expected to take less time than pictures that take long, which can still stop a long recording")
    func expectedTimes() {
        func copy(_ format: VariantRequest.Format, _ side: Int, of size: Int, isSlow: Bool = false) -> UInt64 {
            WaitingJob.Work.picture(.variant(.init(width: side, height: side, format: format)), size: size, isSlow: isSlow).expectedTime
        }
        func recording(minutes: Int) -> UInt64 {
            WaitingJob.Work.tool([], outputByteCount: 0, timeout: nil, sampleCount: minutes * 60 * 48_000).expectedTime
        }
        #expect(recording(minutes: 5) == 180 && recording(minutes: 60) == 2_160)
        // The workers send long work with `isSlow`.
        #expect(copy(.avif, 200, of: 12_000_000, isSlow: true) == 20)
        #expect(copy(.avif, 2_000, of: 12_000_000, isSlow: true) == 400 && copy(.avif, 2_000, of: 400_000) == 200)
        #expect(copy(.jpeg, 200, of: 12_000_000) == 0 && copy(.jpeg, 200, of: 30_000_000, isSlow: true) == 400)
        #expect(400 < Turns.Limits(waiting: 1, perRequester: 1, perNetwork: 1, workers: 2).littleLongWork)
    }

    @Test("long inspections of accounts that are new and a film's thumbnails take turns, even if short copies come all the time")
    func newAccounts() throws {
        var turns = Self.turns
        try turns.enqueue(Self.entry(1, "ada", network: 200), .later)
        var now: UInt64 = 0
        var place: Int?
        for round in 0..<20 where place == nil {
            let id = UInt64(round) * 10
            try turns.enqueue(Self.entry(id + 2, "eve\(round)-", network: UInt32(round + 1)), .inspection)
            try turns.enqueue(Self.entry(id + 3, "bob\(round)-", network: UInt32(round + 100), isLong: false), .later)
            for _ in 0..<2 {
                guard let next = turns.next(at: now) else { break }
                now += next.isLong ? 3_000 : 20
                turns.finished(next, at: now)
                if next.job == "ada1" { place = round }
            }
        }
        #expect(place.map { $0 <= 3 } == true, "\(place ?? -1)")
    }

    @Test("a long job is stopped for a requester without recent long work, each time after twice as long, and not for one with much of it")
    func stops() throws {
        var turns = Self.turns
        var eve = Self.entry(1, "eve", network: 1)
        try turns.enqueue(eve, .inspection)
        _ = turns.next(at: 0)
        let alone = turns.shouldStop(eve, at: 5_000)
        try turns.enqueue(Self.entry(2, "bob", network: 2, isLong: false), .inspection)
        let forPhoto = turns.shouldStop(eve, at: 5_000)
        try turns.enqueue(Self.entry(3, "ada", network: 3), .later)
        let early = turns.shouldStop(eve, at: 999)
        let stopped = turns.shouldStop(eve, at: 1_000)
        let twice = turns.shouldStop(eve, at: 1_000)
        #expect(!alone && !forPhoto && !early && stopped && !twice)

        eve.stopCount += 1
        try turns.putBack(eve, .inspection, at: 1_000)
        let next = [turns.next(at: 1_000), turns.next(at: 1_000)].compactMap { $0 }
        #expect(next.map(\.job).sorted() == ["ada3", "bob2"])
        for entry in next { turns.finished(entry, at: 4_000) }
        let again = turns.next(at: 4_000)
        #expect(again?.job == "eve1")
        // Ada has just had three seconds of long work.
        try turns.enqueue(Self.entry(4, "ada", network: 3), .later)
        let forAda = turns.shouldStop(eve, at: 9_000)
        try turns.enqueue(Self.entry(5, "joe", network: 4), .inspection)
        let before = turns.shouldStop(eve, at: 5_999)
        let after = turns.shouldStop(eve, at: 6_000)
        #expect(!forAda && !before && after)
    }

    /// Runs long jobs of 14 new requesters, which take 3.4 s each, and beside them the notes of another one, which take 170 ms, one after
    /// the other.
    /// - Returns: how many jobs were stopped until all long ones had ended, and the waits for the notes, in milliseconds.
    private func manyNewRequesters(isExpected: Bool) throws -> (stops: Int, waits: [UInt64]) {
        var turns = Self.turns
        var (now, nextID, stops, left): (UInt64, UInt64, Int, Int) = (0, 0, 0, 14)
        var (stopCounts, waits): ([UInt64: Int], [UInt64]) = ([:], [])
        func add(_ account: String, _ network: UInt32, _ time: UInt64) throws {
            nextID += 1
            var entry = Self.entry(nextID, account, network: network)
            entry.expectedTime = isExpected ? time : 0
            entry.createdAt = now
            try turns.enqueue(entry, .inspection)
        }
        for network in UInt32(1)...14 { try add("eve\(network)-", network, 3_400) }
        var noteAt: UInt64? = 300
        while left > 0 {
            if noteAt == now { try add("ada", 100, 170) }
            guard var next = turns.next(at: now) else { break }
            next.stopCount = stopCounts[next.id] ?? 0
            let isNote = next.job.hasPrefix("ada")
            let end = now + (isNote ? 170 : 3_400)
            var wasStopped = false
            while now < end, !wasStopped {
                now += 10
                if noteAt == now, !isNote { try add("ada", 100, 170) }
                wasStopped = now < end && turns.shouldStop(next, at: now)
            }
            if wasStopped {
                stops += 1
                stopCounts[next.id, default: 0] += 1
                next.stopCount += 1
                try turns.putBack(next, .inspection, at: now)
                continue
            }
            turns.finished(next, at: now)
            if isNote, let begin = noteAt {
                waits.append(now - begin)
                noteAt = now + 300
            } else {
                left -= 1
            }
        }
        return (stops, waits)
    }

    @Test("a short recording goes before the long ones of many others, also the second one, and the long ones do not stop each other")
    func shortAmongLong() throws {
        let (stops, waits) = try manyNewRequesters(isExpected: true)
        // After ten notes, their account has used much time, too.
        #expect(waits.count >= 10 && waits.prefix(10).allSatisfy { $0 <= 3_600 }, "\(waits)")
        // Only notes stop a long recording.
        #expect(stops <= waits.count, "\(stops), \(waits)")
    }

    @Test("a long recording waits for about two seconds of the work for somebody who always has short ones")
    func alwaysShort() throws {
        var turns = Self.turns
        var now: UInt64 = 100_000
        func add(_ id: UInt64, _ account: String, _ network: UInt32, _ time: UInt64) throws {
            var entry = Self.entry(id, account, network: network)
            entry.expectedTime = time
            entry.createdAt = now
            try turns.enqueue(entry, .inspection)
        }
        for id in UInt64(1)...3 { try add(id, "eve", 1, 170) }
        var place: Int?
        for round in 0..<100 where place == nil {
            if round == 20 { try add(1_000, "ada", 2, 1_500) }
            guard let next = turns.next(at: now) else { break }
            now += 170
            turns.finished(next, at: now)
            if next.job == "ada1000" { place = round } else { try add(UInt64(round + 10), "eve", 1, 170) }
        }
        #expect(place.map { (20...34).contains($0) } == true, "\(place ?? -1)")
    }

    @Test("only other long jobs of the same kind go before a long recording because it is long")
    func longAmongOthers() throws {
        var turns = Self.turns
        try turns.enqueue(Self.entry(1, "eve", network: 1), .later)
        let first = turns.next(at: 0)
        // Eve has had a little more time than Ada. Her next job is a conversion, whose length is unknown, and she also uploads a photo.
        turns.finished(try #require(first), at: 400)
        var recording = Self.entry(2, "ada", network: 2)
        recording.expectedTime = 9_000
        recording.createdAt = 400
        try turns.enqueue(recording, .inspection)
        try turns.enqueue(Self.entry(3, "eve", network: 1), .later)
        try turns.enqueue(Self.entry(4, "eve", network: 1, isLong: false), .later)
        let next = turns.next(at: 400)
        #expect(next?.job == "ada2")
    }

    @Test("long jobs of many new requesters whose length is unknown are stopped once each, and for a few jobs of somebody else")
    func unknownLengths() throws {
        let (stops, waits) = try manyNewRequesters(isExpected: false)
        #expect((13...16).contains(stops) && !waits.isEmpty, "\(stops), \(waits)")
    }

    @Test("what a job lost counts in part for whoever profits, so cheap long jobs do not stop others again and again")
    func debts() throws {
        var turns = Self.turns
        var (eve, stops) = (Self.entry(1, "eve", network: 1), 0)
        try turns.enqueue(eve, .inspection)
        var now: UInt64 = 0
        for id in UInt64(2)..<40 {
            let running = turns.next(at: now)
            guard running?.job == "eve1" else { break }
            try turns.enqueue(Self.entry(id, "mallory", network: 2), .later)
            now += 1_500
            guard turns.shouldStop(eve, at: now) else { continue }
            stops += 1
            eve.stopCount += 1
            try turns.putBack(eve, .inspection, at: now)
            guard let cheap = turns.next(at: now) else { break }
            now += 100
            turns.finished(cheap, at: now)
        }
        #expect(1...2 ~= stops, "\(stops)")
    }

    @Test("a job is stopped only if a long job could begin then, and only one for each that waits")
    func places() throws {
        var turns = Turns(.init(waiting: 400, perRequester: 50, perNetwork: 80, workers: 4))
        for id in UInt64(1)...2 { try turns.enqueue(Self.entry(id, "eve\(id)-", network: UInt32(id)), .inspection) }
        let two = [turns.next(at: 0), turns.next(at: 0)].compactMap { $0 }
        try turns.enqueue(Self.entry(9, "bob", network: 9), .inspection)
        // A third long job may run beside two of four workers.
        let withPlace = turns.shouldStop(two[0], at: 5_000)
        let third = turns.next(at: 0)
        try turns.enqueue(Self.entry(10, "joe", network: 10), .inspection)
        let stopped = two.map { turns.shouldStop($0, at: 5_000) }
        #expect(!withPlace && third?.job == "bob9" && stopped == [true, false])
    }

    @Test("a job that was stopped runs again from the beginning of its file, and its caller gets the result")
    func runsAgain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keepsake-long-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (slow, fast) = (folder.appending(path: "slow").path, folder.appending(path: "fast").path)
        try Data(String(repeating: "line\n", count: 100).utf8).write(to: URL(filePath: slow))
        try Data("line\n".utf8).write(to: URL(filePath: fast))
        let files = [open(slow, O_RDONLY), open(fast, O_RDONLY)]
        defer { for file in files { close(file) } }
        // Counts the lines of its input. If there are many, it then takes about a second. The sandbox lets it start no program.
        let script = """
            n=0; i=0
            while read -r line; do n=$((n+1)); done
            while [ $n -gt 10 ] && [ $i -lt 1000000 ]; do i=$((i+1)); done
            echo $n
            """
        let work = WaitingJob.Work.tool(["/bin/sh", "-c", script], outputByteCount: 1_000, timeout: nil)
        try await WorkerFixture.run {
            $0.workers = 2
            $0.longSlice = .milliseconds(300)
        } _: { workers in
            func run(_ account: String, _ network: UInt32, _ file: CInt) -> Task<String, any Error> {
                Requester(account: account, network: Network(ipv4: network)).run {
                    Task {
                        guard case .output(let bytes) = try await workers.perform(work, file, .inspection) else { return "" }
                        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                    }
                }
            }
            let begin = ContinuousClock.now
            let long = run("eve", 1, files[0])
            try await WorkerFixture.eventually { workers.taken == 1 }
            let victim = run("bob", 2, files[1])
            let ofVictim = try await victim.value
            let waited = ContinuousClock.now - begin
            let ofLong = try await long.value
            #expect(ofVictim == "1" && ofLong == "100" && workers.taken == 3, "\(waited)")
        }
    }
}
