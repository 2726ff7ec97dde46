internal import Core
internal import Database
internal import Jobs
internal import Synchronization

/// Turn keys: jobs that belong to no account, and services that jobs wait for.
extension JobSuite {
    static let turns: [Check] = [
        Check("A party with hundreds of due jobs delays each other party's job by one job, also with one place") { fixture in
            try await fixture.database.write { [queue = fixture.queue, clock = fixture.clock] tx in
                func add(_ count: Int, _ party: String, ago: Int) throws {
                    for number in 0..<count {
                        // Each party waits for several services.
                        let turn = JobTurnKey(party: party, target: "\(party)-\(number % 3)")
                        try queue.enqueue(Note(number: number), owner: nil, turn: turn, at: clock.now - .seconds(ago), tx)
                    }
                }
                try add(200, "greedy", ago: 60)
                try add(40, "ben", ago: 30)
                try add(1, "eve", ago: 0)
                try add(1, "zoe", ago: 0)
            }
            let started = Mutex<[String]>([])
            let handler = JobHandler(Note.self) { run in started.withLock { $0.append(run.turn?.party ?? "") } }
            var options = JobFixture.quick
            options.concurrency = 1
            try await JobFixture.running(fixture.runner([handler], options: options)) {
                try await eventually("four have run") { started.withLock { $0.count >= 4 } }
            }
            try expectEqual(started.withLock { $0.prefix(4).sorted() }, ["ben", "eve", "greedy", "zoe"])
        },
        Check("Jobs that wait for a slow service leave the other places to jobs that wait for others") { fixture in
            for number in 1...8 {
                try await fixture.put(Note(number: number), turn: JobTurnKey(party: "party-\(number)", target: "slow"), in: .seconds(-60))
            }
            let running = Mutex<[String]>([])
            let gate = Gate()
            let handler = JobHandler(Note.self) { run in
                running.withLock { $0.append(run.turn?.target ?? "") }
                await gate.wait()
            }
            // Jobs that wait for the slow service get one of the runner's four places.
            try await JobFixture.running(fixture.runner([handler])) {
                defer { gate.open() }
                try await eventually("one runs") { running.withLock { $0.count == 1 } }
                try await fixture.put(Note(number: 9), owner: "ada", turn: JobTurnKey(target: "other"))
                try await eventually("the other one runs") { running.withLock { $0.contains("other") } }
                try expectEqual(running.withLock { $0 }, ["slow", "other"])
                gate.open()
                try await eventually("all are done") { try await fixture.store.counts().isEmpty }
            }
        },
        Check("A job runs with or without an account and a turn key, and keeps its turn key when it is retried") { fixture in
            let keys: [JobTurnKey?] = [nil, JobTurnKey(party: "p"), JobTurnKey(target: "t"), JobTurnKey(party: "p", target: "t")]
            var stored: [String?: String] = [:]
            for owner in [nil, "ada"] {
                for key in keys {
                    let id = try await fixture.put(Note(number: 1), owner: owner, turn: key)
                    stored[id] = key?.text ?? ""
                }
            }
            try expectEqual(stored.count, 8)
            let leases = fixture.leases("a")
            for _ in 1...2 {
                var found: [String?: String] = [:]
                for _ in 1...8 {
                    for job in try await take(leases, room: 4) {
                        found[job.lease.id] = job.turn?.text ?? ""
                        try await expect(leases.retry(job.lease, at: fixture.clock.now + .seconds(1), error: "no"), "lost")
                    }
                }
                try expectEqual(found, stored)
                fixture.clock.advance(by: .seconds(1))
            }
        },
    ]
}
