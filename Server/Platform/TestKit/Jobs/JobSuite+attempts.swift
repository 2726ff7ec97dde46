internal import Core
internal import Database
internal import Jobs
internal import Synchronization

/// How attempts end: completion, retry, parking.
extension JobSuite {
    private struct Hiccup: Error, CustomStringConvertible {
        let description = "the disk said no"
    }

    static let attempts: [Check] = [
        Check("A handler's effect and its job's completion commit together") { fixture in
            let id = try await fixture.put(Note(number: 7), owner: "someone")
            let handler = JobHandler(Note.self) { run in
                try expectEqual(run.owner, "someone")
                try expectEqual([run.attempt, run.tries], [1, 1])
                let answer = try await run.complete { tx in
                    try JobFixture.makeEffect(run.payload.number, tx)
                    return try tx.row("SELECT id FROM job WHERE id = \(run.id)") == nil
                }
                try expect(answer, "the job is still there inside its effect's transaction")
                let again = try await expectThrows { try await run.complete { tx in try JobFixture.makeEffect(7, tx) } }
                try expect(again is LeaseLost, "completed twice")
            }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it is done") { try await fixture.isGone(id) }
            }
            try await expectEqual(fixture.effects(), [7: 1])
        },
        Check("A handler that only returns also completes its job") { fixture in
            let id = try await fixture.put(Note(number: 1))
            try await JobFixture.running(fixture.runner([JobHandler(Note.self) { _ in }])) {
                try await eventually("it is done") { try await fixture.isGone(id) }
            }
        },
        Check("An effect that throws is rolled back, and the job is retried") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let handler = JobHandler(Note.self) { run in
                try await run.complete { tx in
                    try JobFixture.makeEffect(1, tx)
                    if run.tries == 1 { throw Hiccup() }
                }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it has failed") { try await fixture.shown(id).error != nil }
                try await expectEqual(fixture.effects(), [:])
                fixture.clock.advance(by: .seconds(2))
                try await eventually("it is done") { try await fixture.isGone(id) }
            }
            try await expectEqual(fixture.effects(), [1: 1])
        },
        Check("A failing job is retried with doubling backoff, and parked with its error after the last attempt") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let tried = Mutex<[Int]>([])
            let handler = JobHandler(Note.self) { run in
                tried.withLock { $0.append(run.tries) }
                throw Hiccup()
            }
            // All bits set: the longest backoff that jitter can yield.
            let runner = fixture.runner([handler], entropy: Entropy { [UInt8](repeating: 255, count: $0) })
            try await JobFixture.running(runner) {
                for (number, pause) in zip(1..., [1, 2, 4, 8]) {
                    try await eventually("attempt \(number) is over") {
                        let entry = try await fixture.shown(id)
                        return entry.state == .ready && entry.tries == number
                    }
                    let entry = try await fixture.shown(id)
                    try expectEqual(entry.runAt, fixture.clock.now + .seconds(pause))
                    try expectEqual(entry.error, "Hiccup: the disk said no")
                    fixture.clock.advance(by: .seconds(pause) - .microseconds(1))
                    try await Task.sleep(for: .milliseconds(30))
                    try await expectEqual(fixture.shown(id).tries, number)
                    fixture.clock.advance(by: .microseconds(1))
                }
                try await eventually("it is parked") { try await fixture.shown(id).state == .parked }
            }
            let entry = try await fixture.shown(id)
            try expectEqual([entry.attempt, entry.tries, entry.lost], [5, 5, 0])
            try expectEqual(entry.error, "Hiccup: the disk said no")
            try expectEqual(tried.withLock { $0 }, [1, 2, 3, 4, 5])
        },
        Check("A permanent failure parks the job at once, with an error of bounded length") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let handler = JobHandler(Note.self) { _ in throw JobFailure.permanent("no\0" + String(repeating: "é", count: 3_000)) }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it is parked") { try await fixture.shown(id).state == .parked }
            }
            let entry = try await fixture.shown(id)
            try expectEqual(entry.tries, 1)
            try expectEqual(entry.error?.unicodeScalars.count, JobLimits.errorLength)
            try expect(entry.error?.hasPrefix("JobFailure: no\u{FFFD}é") ?? false, entry.error ?? "no error is kept")
        },
        Check("A payload that cannot be decoded parks its job at once, and the error does not contain it") { fixture in
            let id = try await fixture.put(UndecodableNote(number: "canary"))
            try await JobFixture.running(fixture.runner([JobHandler(Note.self) { _ in }])) {
                try await eventually("it is parked") { try await fixture.shown(id).state == .parked }
            }
            let error = try await fixture.shown(id).error ?? ""
            try expect(error.contains("cannot be read") && error.contains("/number") && !error.contains("canary"), error)
        },
        Check("An error's values are not stored unless its own description contains them") { fixture in
            enum Refusal: Error {
                case address(String)
            }
            let id = try await fixture.put(Note(number: 1))
            try await JobFixture.running(fixture.runner([JobHandler(Note.self) { _ in throw Refusal.address("canary") }])) {
                try await eventually("it has failed") { try await fixture.shown(id).error != nil }
            }
            try await expectEqual(fixture.shown(id).error, "Refusal.address")
        },
        Check("An attempt that exceeds its timeout is cancelled, and counts") { fixture in
            let id = try await fixture.put(RetriedJob(number: 1))
            let cancelled = Mutex(0)
            let handler = JobHandler(RetriedJob.self) { _ in
                do {
                    try await Task.sleep(for: .seconds(60))
                } catch {
                    cancelled.withLock { $0 += 1 }
                }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                try await eventually("it has failed") { try await fixture.shown(id).error != nil }
            }
            let entry = try await fixture.shown(id)
            try expectEqual([entry.tries, entry.attempt], [1, 1])
            try expectEqual(entry.state, .ready)
            try expect(entry.error?.contains("longer than 0.5 seconds") ?? false, entry.error ?? "no error is kept")
            try expectEqual(cancelled.withLock { $0 }, 1)
        },
        Check("No more jobs run at a time than the concurrency limit permits") { fixture in
            for number in 1...12 { try await fixture.put(Note(number: number)) }
            let now = Mutex(0)
            let most = Mutex(0)
            let gate = Gate()
            let handler = JobHandler(Note.self) { run in
                let count = now.withLock { now in
                    now += 1
                    return now
                }
                most.withLock { $0 = max($0, count) }
                await gate.wait()
                now.withLock { $0 -= 1 }
            }
            try await JobFixture.running(fixture.runner([handler])) {
                defer { gate.open() }
                try await eventually("the concurrency limit is reached") { now.withLock { $0 == 4 } }
                // Time for a fifth job, which must not start.
                try await Task.sleep(for: .milliseconds(100))
                gate.open()
                try await eventually("all are done") { try await fixture.store.counts().isEmpty }
            }
            try expectEqual(most.withLock { $0 }, 4)
        },
    ]
}
