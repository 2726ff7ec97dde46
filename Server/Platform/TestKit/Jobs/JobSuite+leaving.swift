internal import Core
internal import Database
internal import Jobs
internal import ServiceLifecycle
internal import Synchronization

/// How runners shut down.
extension JobSuite {
    static let leaving: [Check] = [
        Check("A runner that shuts down finishes its running jobs and claims no new ones") { fixture in
            let id = try await fixture.put(Note(number: 1))
            let next = Mutex<String?>(nil)
            let handler = JobHandler(Note.self) { run in
                // Runs into the shutdown and for some time after it began.
                if run.payload.number == 1 {
                    while !Task.isShuttingDownGracefully { try await Task.sleep(for: .milliseconds(5)) }
                    try await Task.sleep(for: .milliseconds(200))
                }
                try await run.complete { tx in try JobFixture.makeEffect(run.payload.number, tx) }
            }
            var options = JobFixture.quick
            options.concurrency = 1
            try await JobFixture.running(fixture.runner([handler], options: options)) {
                try await eventually("it runs") { try await fixture.shown(id).state == .running }
                let id = try await fixture.put(Note(number: 2))
                next.withLock { $0 = id }
            }
            try await expectEqual(fixture.effects(), [1: 1])
            let left = try await fixture.shown(next.withLock { $0 })
            try expectEqual(left.state, .ready)
            try expectEqual(left.attempt, 0)
        },
        Check("A job that outlasts the shutdown is cancelled and released, and its attempt does not count") { fixture in
            let id = try await fixture.put(Note(number: 1))
            var options = JobFixture.quick
            options.grace = .milliseconds(100)
            let start = ContinuousClock.now
            // Returns without an error when it is cancelled: the job must not count as done.
            let handler = JobHandler(Note.self) { _ in try? await Task.sleep(for: .seconds(60)) }
            try await JobFixture.running(fixture.runner([handler], options: options)) {
                try await eventually("it runs") { try await fixture.shown(id).state == .running }
            }
            try expect(ContinuousClock.now - start < .seconds(30), "the shutdown took long")
            let entry = try await fixture.shown(id)
            try expectEqual(entry.state, .ready)
            try expectEqual([entry.attempt, entry.tries, entry.lost], [1, 0, 0])
            try expectEqual(entry.leaseUntil, nil)
            // The fencing number has increased all the same.
            try await expectEqual(take(fixture.leases("b"), room: 1)[0].lease.attempt, 2)
        },
        Check("A cancelled runner releases its jobs") { fixture in
            let ids = [try await fixture.put(Note(number: 1)), try await fixture.put(Note(number: 2))]
            let handler = JobHandler(Note.self) { _ in try await Task.sleep(for: .seconds(60)) }
            let runner = fixture.runner([handler])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await runner.run() }
                try? await eventually("both run") {
                    try await fixture.store.list(state: .running).count == 2
                }
                group.cancelAll()
            }
            for id in ids {
                let entry = try await fixture.shown(id)
                try expectEqual(entry.state, .ready)
                try expectEqual([entry.attempt, entry.tries], [1, 0])
            }
        },
        Check("A job that ignores cancellation is released, too, and its later writes have no effect") { fixture in
            let id = try await fixture.put(Note(number: 1))
            var options = JobFixture.quick
            options.grace = .milliseconds(50)
            let gate = Gate()
            let handler = JobHandler(Note.self) { run in
                await gate.wait()
                try await run.complete { tx in try JobFixture.makeEffect(1, tx) }
            }
            let runner = fixture.runner([handler], options: options)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await JobFixture.running(runner) {
                        try await eventually("it runs") { try await fixture.shown(id).state == .running }
                    }
                }
                defer { gate.open() }
                try await eventually("it is released") {
                    let entry = try await fixture.shown(id)
                    return entry.state == .ready && entry.attempt == 1
                }
                gate.open()
                try await group.waitForAll()
            }
            try await expectEqual(fixture.effects(), [:])
            try await expectEqual(fixture.shown(id).tries, 0)
        },
    ]
}
