import Core
package import Database
package import Logging
package import ServiceLifecycle
package import Timeline
package import Web
import Wire

/// Full text over everything that was written or said (surface 0): the room's front door. What is in the index, the other rooms say
/// through `SearchIndex`; how what was found is read, through their `EntryKind`s.
package struct SearchFeature: Feature {
    let store: SearchStore
    let cursors: Cursors
    private let logger: Logger

    /// - Parameter kinds: everything that can be found, by its room.
    package init(database: any Database, kinds: [EntryKind], cursors: Cursors, logger: Logger) {
        store = SearchStore(database: database, kinds: kinds)
        self.cursors = cursors
        self.logger = logger
    }

    package static var migrations: [Migration] { SearchMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) {
        routes.serve(SearchEndpoints.search, SearchEverything(store: store, cursors: cursors).handle)
    }

    package var services: [any Service] {
        [
            Upkeep("search", every: .minutes(10), logger: logger) { [store] in
                while try await store.database.write({ tx in try SearchIndex().sweep(tx) }) > 0 {}
            }
        ]
    }
}
