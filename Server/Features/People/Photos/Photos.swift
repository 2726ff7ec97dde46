import Blobs
import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Web

/// The photos of profiles, the profile picture among them.
struct Photos: PeoplePart {
    let store: PhotoStore
    private let gate: UploadGate
    private let library: MediaLibrary
    private let identifiers: Identifiers

    init(_ context: FeatureContext, library: MediaLibrary) {
        store = PhotoStore(database: context.database, library: library)
        gate = context.gate
        self.library = library
        identifiers = context.identifiers
    }

    static var migrations: [Migration] { PhotoMigrations.all }

    static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "profile_photo", owner: .column("account"), order: ["id"],
                columns: [.plain("id"), .plain("media"), .withheld("account")], ending: .cascade(from: "media"))
        ]
    }

    static var surfaces: [PathSurface] { ["/userImage", "/userImageUpdate", "/delete-photo"].map { PathSurface($0, .coves) } }

    func addRoutes(to routes: Routes) {
        routes.serve(
            files: PhotoRules.members, PeopleEndpoints.addPhoto,
            AddPhoto(store: store, gate: gate, library: library, identifiers: identifiers).handle)
        routes.serve(
            files: PhotoRules.members, PeopleEndpoints.replacePhoto, ReplacePhoto(store: store, gate: gate, library: library).handle)
        routes.serve(PeopleEndpoints.deletePhoto, DeletePhoto(store: store).handle)
    }
}
