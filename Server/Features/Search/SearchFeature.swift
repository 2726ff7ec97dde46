package import Core
package import Database
package import FeatureKit
import Foundation
import KeepsakeWire
import Logging
package import ServiceLifecycle
package import Web

/// Full text over everything that was written or said (surface 0). The other features fill the index through `SearchIndex`; their
/// `EntryKind`s read what was found.
package struct SearchFeature: Feature {
    let store: SearchStore
    let cursors: Cursors
    private let logger: Logger

    /// - Parameters:
    ///   - kinds: everything that can be found, of all features.
    ///   - limits: how many searches work and wait at a time.
    package init(
        _ context: FeatureContext, kinds: [EntryKind],
        limits: FairSemaphore.Limits = SearchFeature.limits(processors: ProcessInfo.processInfo.activeProcessorCount)
    ) {
        store = SearchStore(database: context.database, kinds: kinds, work: FairWork("search", limits))
        cursors = context.cursors
        logger = context.logger
    }

    /// Half of the connections that read on SQLite, so that other requests always find one; half of that for one account, and three quarters
    /// for one network.
    package static func limits(processors: Int) -> FairSemaphore.Limits {
        let atOnce = max(2, processors / 2)
        // A page takes some ten milliseconds: whoever waits longest waits a fraction of a second for others of their own.
        return FairSemaphore.Limits(
            permits: atOnce, permitsPerKey: atOnce / 2, permitsPerNetwork: atOnce * 3 / 4, waiting: 512, waitingPerKey: 8,
            waitingPerNetwork: 64)
    }

    package static var migrations: [Migration] { SearchMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

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
