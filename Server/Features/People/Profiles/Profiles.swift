import Accounts
import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Web

/// Sign-in, onboarding and profiles.
struct Profiles: PeoplePart {
    let store: ProfileStore
    let presenter: ProfilePresenter
    private let clock: WallClock

    init(_ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, coves: any CoveLookup) {
        clock = context.clock
        store = ProfileStore(
            database: context.database, accounts: accounts, library: library, coves: coves,
            photos: PhotoStore(database: context.database, library: library), clock: context.clock)
        presenter = ProfilePresenter(library: library, clock: context.clock)
    }

    static var migrations: [Migration] { ProfileMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "profile", owner: .column("account"), order: ["account"],
                columns: [
                    .plain("name"), .time("birthdate"), .json("interests"), .plain("latitude"), .plain("longitude"), .plain("bio"),
                    .plain("alma_mater"), .plain("job"), .plain("work_location"), .plain("relation_status"), .plain("sexuality"),
                    .plain("gender"), .plain("city"), .plain("grad_year"), .plain("friend_count"), .plain("request_count"),
                    .time("created_at"), .time("onboarded_at"), .plain("row_bytes"), .withheld("hidden"), .withheld("account"),
                ],
                // This row is deleted after all other rows of the account: while any are left, `hidden` keeps the account invisible.
                ending: .statement)
        ]
    }

    static var surfaces: [PathSurface] { ["/login", "/onboard", "/edit-profile", "/profile"].map { PathSurface($0, .coves) } }

    func addRoutes(to routes: Routes) {
        routes.serve(PeopleEndpoints.login, LogIn(store: store).handle)
        routes.serve(PeopleEndpoints.onboard, Onboard(store: store, clock: clock).handle)
        routes.serve(PeopleEndpoints.editProfile, EditProfile(store: store, clock: clock).handle)
        routes.serve(PeopleEndpoints.profile, ReadProfile(store: store, presenter: presenter).handle)
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws { try store.hide(account, tx) }

    func show(_ account: String, _ tx: WriteTransaction) throws { try store.show(account, tx) }
}
