import Core
import Database
import Foundation
import Intelligence
import Jobs
import KeepsakeWire
import Live
import Media

/// Schedules the condensing of hours and days, and stores their summaries.
extension CaptureStore {
    /// The shortest time between two condensations of one hour or day.
    static let condensingPause: Duration = .seconds(30)

    /// How long a condensation pauses when captures have changed while it read them: 1 s the first time, and twice as long each further
    /// time, at most `condensingPause`. Reading a day takes long, so it must not be repeated without a pause for an account that changes
    /// captures all the time.
    /// - Parameter refusals: how often in a row captures had changed before.
    static func pause(after refusals: Int) -> Duration { min(.seconds(1 << min(max(0, refusals), 5)), condensingPause) }

    /// Locks the account's summaries and contacts. Call it after `lock` of captures and before any other lock.
    func lockSummaries(of owner: String, _ tx: WriteTransaction) throws { try tx.lock("captures' summaries and contacts of " + owner) }

    // MARK: Scheduling

    /// The longest that the job of an hour waits for the hour's end. The hour of a capture that was just made ends within an hour. Only an
    /// hour in the future, of a client whose clock is ahead, ends later. Without this limit, a client could enqueue a job for each hour of
    /// the next centuries, and none of these jobs would ever run.
    private static let longestHourWait: Duration = .hours(1)

    /// Notes that captures of the hour have changed, and schedules the job that condenses it: not before the hour has ended (see
    /// `longestHourWait`), and at most every 30 s.
    func touch(_ hour: CaptureHour, owner: String, _ tx: WriteTransaction) throws {
        try tx.run(
            """
            INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
            VALUES (\(owner), \(hour.day), \(hour.start), \(hour.hour), \(hour.zone), 1, 0, 0, 0)
            ON CONFLICT (owner, day, start, hour) DO UPDATE SET changed = capture_hour.changed + 1
            """)
        let scheduled = try tx.row(
            """
            UPDATE capture_hour SET is_scheduled = 1
            WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour) AND is_scheduled = 0
            RETURNING condensed_at
            """)
        guard let scheduled else { return }
        let last: Timestamp? = try scheduled.get("condensed_at")
        let now = clock.now
        // The clock may have been ahead when the last summary was made, so a time after `now` counts as `now`.
        let end = min(hour.end, now + Self.longestHourWait)
        let time = max(now, end, last.map { min($0, now) + Self.condensingPause } ?? end)
        try jobs.enqueue(CondenseHour(hour: hour), owner: owner, at: time, tx)
    }

    private func touch(day: String, zone: String, owner: String, _ tx: WriteTransaction) throws {
        try tx.run(
            """
            INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, row_bytes)
            VALUES (\(owner), \(day), \(zone), 1, 0, 0, 0)
            ON CONFLICT (owner, day) DO UPDATE SET changed = capture_day.changed + 1, zone = excluded.zone
            """)
        let scheduled = try tx.row(
            """
            UPDATE capture_day SET is_scheduled = 1 WHERE owner = \(owner) AND day = \(day) AND is_scheduled = 0
            RETURNING condensed_at
            """)
        guard let scheduled else { return }
        let last: Timestamp? = try scheduled.get("condensed_at")
        let now = clock.now
        // The clock may have been ahead when the last summary was made, so a time after `now` counts as `now`.
        let time = max(now, last.map { min($0, now) + Self.condensingPause } ?? now)
        try jobs.enqueue(CondenseDay(day: day, zone: zone), owner: owner, at: time, tx)
    }

    // MARK: Storing

    /// Stores the summary, in the transaction that ends the job. Without captures the summary is removed. If something has changed since
    /// `material` was read, nothing is stored and the hour is condensed again after a pause.
    /// - Parameter refusals: how often in a row nothing was stored before, because captures had changed.
    func store(
        _ content: SummaryContent?, of hour: CaptureHour, changed: Int64, refusals: Int = 0, owner: String, _ tx: WriteTransaction
    ) throws {
        try lockSummaries(of: owner, tx)
        guard let row = try tx.row(Self.hour(hour, "changed, row_bytes", owner: owner)) else { return }
        guard try row.get("changed", as: Int64.self) == changed else {
            let again = CondenseHour(hour: hour, refusals: refusals + 1)
            try jobs.enqueue(again, owner: owner, at: clock.now + Self.pause(after: refusals), tx)
            return
        }
        let old: Int64 = try row.get("row_bytes")
        let text = content?.text
        let rowBytes = text.map { Self.summaryBytes($0) } ?? 0
        if let text {
            try tx.run(
                """
                UPDATE capture_hour SET content = \(text), condensed = \(changed), condensed_at = \(clock.now), is_scheduled = 0,
                    row_bytes = \(rowBytes)
                WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour)
                """)
        } else {
            try tx.run(
                """
                DELETE FROM capture_hour
                WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour)
                """)
        }
        try touch(day: hour.day, zone: hour.zone, owner: owner, tx)
        try events.emit(.summaryChanged, SummaryEvent(date: hour.day, hour: hour.hour), to: owner, tx)
        try library.note(rowBytes: rowBytes - old, owner: owner, tx)
    }

    func store(
        _ content: SummaryContent?, ofDay day: String, zone: String, changed: Int64, refusals: Int = 0, owner: String,
        _ tx: WriteTransaction
    ) throws {
        try lockSummaries(of: owner, tx)
        guard let row = try tx.row("SELECT changed, row_bytes FROM capture_day WHERE owner = \(owner) AND day = \(day)") else { return }
        guard try row.get("changed", as: Int64.self) == changed else {
            let again = CondenseDay(day: day, zone: zone, refusals: refusals + 1)
            try jobs.enqueue(again, owner: owner, at: clock.now + Self.pause(after: refusals), tx)
            return
        }
        let old: Int64 = try row.get("row_bytes")
        let rowBytes = content.map { Self.summaryBytes($0.text) } ?? 0
        if let content {
            try tx.run(
                """
                UPDATE capture_day SET content = \(content.text), condensed = \(changed), condensed_at = \(clock.now), is_scheduled = 0,
                    row_bytes = \(rowBytes)
                WHERE owner = \(owner) AND day = \(day)
                """)
        } else {
            try tx.run("DELETE FROM capture_day WHERE owner = \(owner) AND day = \(day)")
        }
        try events.emit(.summaryChanged, SummaryEvent(date: day, hour: nil), to: owner, tx)
        try library.note(rowBytes: rowBytes - old, owner: owner, tx)
    }

    /// Enqueues the job of an hour again for `time`, in the transaction that ends the job.
    func postpone(_ job: CondenseHour, owner: String, to time: Timestamp, _ tx: WriteTransaction) throws {
        try jobs.enqueue(job, owner: owner, at: time, tx)
    }

    /// Notes that no job will condense the hour, because its job was parked. The next change then schedules another one.
    func unschedule(_ hour: CaptureHour, owner: String, _ tx: WriteTransaction) throws {
        try tx.run(
            """
            UPDATE capture_hour SET is_scheduled = 0
            WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour)
            """)
    }

    func unschedule(day: String, owner: String, _ tx: WriteTransaction) throws {
        try tx.run("UPDATE capture_day SET is_scheduled = 0 WHERE owner = \(owner) AND day = \(day)")
    }

    // MARK: Deleted and changed captures

    /// Removes at once what summaries say of captures that are deleted or analysed again, and has the summaries condensed again. Captures
    /// that are analysed again still count, so that the counts of hours and days agree. Call it under `lockSummaries`.
    func unquote(_ captures: [StoredCapture], areDeleted: Bool, owner: String, _ tx: WriteTransaction) throws {
        guard forgetsInSummaries else { return }
        let byHour = Dictionary(grouping: captures, by: \.hour)
        let sorted = byHour.sorted { ($0.key.day, $0.key.start, $0.key.hour) < ($1.key.day, $1.key.start, $1.key.hour) }
        var byDay: [String: (zone: String, captures: [StoredCapture])] = [:]
        for (hour, captures) in sorted {
            byDay[hour.day, default: (hour.zone, [])].zone = hour.zone
            byDay[hour.day]?.captures += captures
            if var content = SummaryContent(text: try tx.row(Self.hour(hour, "content", owner: owner))?.get("content")) {
                let counted = Set(captures.map(\.id)).intersection(content.captures)
                content.unquote(counted, areDeleted: areDeleted, in: hour.timeZone)
                try tx.run(
                    """
                    UPDATE capture_hour SET content = \(content.describedCount == 0 ? nil : content.text)
                    WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour)
                    """)
            }
            try touch(hour, owner: owner, tx)
        }
        for (day, (zone, captures)) in byDay.sorted(by: { $0.key < $1.key }) {
            guard let row = try tx.row("SELECT content, condensed_at FROM capture_day WHERE owner = \(owner) AND day = \(day)") else {
                continue
            }
            if var content = SummaryContent(text: try row.get("content")) {
                // A day's summary has no list of its captures. It counts the captures that existed when it was made.
                let made: Timestamp? = try row.get("condensed_at")
                let counted = captures.filter { capture in made.map { capture.createdAt <= $0 } ?? true }
                content.unquote(Set(counted.map(\.id)), areDeleted: areDeleted, in: ZoneName.zone(named: zone) ?? .gmt)
                try tx.run(
                    """
                    UPDATE capture_day SET content = \(content.describedCount == 0 ? nil : content.text)
                    WHERE owner = \(owner) AND day = \(day)
                    """)
            }
            // The day is touched even if it has no content: a job that has read the captures before this write must not store what it read.
            try touch(day: day, zone: zone, owner: owner, tx)
        }
    }

    // MARK: Statements

    private static func summaryBytes(_ text: String) -> Int64 { RowBytes.count(searchable: [], tags: [], plain: [text]) }

    static func hour(_ hour: CaptureHour, _ columns: SQL, owner: String) -> SQL {
        """
        SELECT \(sql: columns) FROM capture_hour
        WHERE owner = \(owner) AND day = \(hour.day) AND start = \(hour.start) AND hour = \(hour.hour)
        """
    }
}

/// The payload of events about a summary.
struct SummaryEvent: Codable, Sendable {
    let date: String
    /// `nil` for a day's summary.
    let hour: Int?
}
