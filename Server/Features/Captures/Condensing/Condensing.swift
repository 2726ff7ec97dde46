import Core
import Database
import Foundation
import Intelligence
import Jobs

/// Runs the jobs that condense hours and days.
struct Condensing: Sendable {
    let store: CaptureStore
    private let work: CondensingWork

    init(store: CaptureStore, work: CondensingWork = CondensingWork()) {
        self.store = store
        self.work = work
    }

    /// The most highlights that a summary of an hour or of a day has.
    static let perHour = 5
    static let perDay = 12

    func condense(_ run: JobRun<CondenseHour>) async throws {
        let owner = try run.requireOwner()
        var job = run.payload
        let hour = job.hour
        if job.waits < CondenseHour.longestWait, try await store.isIncomplete(hour, owner: owner) {
            job.waits += 1
            let (later, time) = (job, store.clock.now + CondenseHour.pause)
            return try await run.complete { tx in try store.postpone(later, owner: owner, to: time, tx) }
        }
        guard let material = try await store.material(hour, owner: owner, highlights: Self.perHour, in: work) else { return }
        let content = try await content(material, of: owner, in: hour.timeZone)
        let refusals = job.refusals ?? 0
        try await run.complete { tx in
            try store.store(content, of: hour, changed: material.changed, refusals: refusals, owner: owner, tx)
        }
    }

    func condense(_ run: JobRun<CondenseDay>) async throws {
        let owner = try run.requireOwner()
        let job = run.payload
        guard let material = try await store.material(day: job.day, owner: owner, highlights: Self.perDay, in: work) else { return }
        let content = try await content(material, of: owner, in: ZoneName.zone(named: job.zone) ?? .gmt)
        try await run.complete { tx in
            try store.store(
                content, ofDay: job.day, zone: job.zone, changed: material.changed, refusals: job.refusals ?? 0, owner: owner, tx)
        }
    }

    func whenParked(_ job: CondenseHour, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        if let owner { try store.unschedule(job.hour, owner: owner, tx) }
    }

    func whenParked(_ job: CondenseDay, _ owner: String?, _ reason: String, _ tx: WriteTransaction) throws {
        if let owner { try store.unschedule(day: job.day, owner: owner, tx) }
    }

    /// Runs in a turn, because it sorts thousands of people and themes by how often they occur.
    func content(_ material: CaptureStore.Material, of owner: String, in zone: TimeZone) async throws -> SummaryContent? {
        try await work.run(of: owner) { Self.content(material, in: zone) }
    }

    /// - Returns: `nil` when no capture is analysed.
    static func content(_ material: CaptureStore.Material, in zone: TimeZone) -> SummaryContent? {
        guard material.draft.captureCount > material.draft.pendingCount else { return nil }
        return SummaryContent(material.draft, captures: material.captures, people: material.people.ranked(20), in: zone)
    }
}
