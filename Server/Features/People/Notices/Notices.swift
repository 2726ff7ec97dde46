import Core
import Database
import FeatureKit
import Web

/// Limits the live events that other people's requests and invitations cause.
struct Notices: PeoplePart {
    let store: NoticeStore
    /// Deletes the rows of earlier days.
    let upkeep: Upkeep

    init(_ context: FeatureContext) {
        store = NoticeStore(database: context.database, events: context.events, clock: context.clock)
        upkeep = Upkeep("sent notices", every: .hours(1), logger: context.logger, store.sweep)
    }

    static var migrations: [Migration] { NoticeMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "sent_notice", owner: .column("account"), order: ["account"],
                columns: [.plain("day"), .withheld("told"), .withheld("account")], ending: .statement)
        ]
    }

    static var surfaces: [PathSurface] { [] }
}
