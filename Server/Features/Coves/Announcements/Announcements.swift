import Database
import FeatureKit
import Jobs

/// The part of the feature that sends live events to all members of a cove.
struct Announcements: CovePart {
    let announcer: CoveAnnouncer

    init(_ context: FeatureContext) {
        announcer = CoveAnnouncer(events: context.events, jobs: context.jobs, identifiers: context.identifiers)
    }

    static var migrations: [Migration] { AnnouncementMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "cove_announcement", owner: .column("actor"), order: ["id"],
                columns: [
                    .plain("cove"), .plain("kind"), .json("payload"), .time("created_at"), .withheld("id"), .withheld("subject"),
                    .withheld("next_payload"), .withheld("actor"), .withheld("told"),
                ],
                ending: .statement)
        ]
    }

    var jobs: [JobHandler] {
        [
            JobHandler(SendAnnouncement.self) { [announcer] run in
                try await run.complete { tx in try announcer.notifyNext(run.payload.announcement, tx) }
            }
        ]
    }
}
