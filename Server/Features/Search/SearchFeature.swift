package import Core
package import Database
package import FeatureKit
import Foundation
import KeepsakeWire
import Logging
package import ServiceLifecycle
package import Web

/// Full-text search over all entries and transcripts (surface 0). The other features fill the index through `SearchIndex`. The `EntryKind`
/// of a feature reads the entries that a search finds.
package struct SearchFeature: Feature {
    let store: SearchStore
    let cursors: Cursors
    private let logger: Logger

    /// - Parameters:
    ///   - kinds: the searchable kinds of all features.
    ///   - limits: the number of searches that run and wait at a time.
    package init(
        _ context: FeatureContext, kinds: [EntryKind],
        limits: FairSemaphore.Limits = SearchFeature.limits(processors: ProcessInfo.processInfo.activeProcessorCount)
    ) {
        store = SearchStore(database: context.database, kinds: kinds, work: FairWork(limits))
        cursors = context.cursors
        logger = context.logger
    }

    /// A search that looks for the beginning of very many words can take seconds. Four networks that take all they can get leave two of the
    /// permits to others. Each search holds up to 4 MB. It reads the database in steps, and other requests take turns with them.
    package static func limits(processors: Int) -> FairSemaphore.Limits {
        let atOnce = max(2, processors / 2)
        // A page takes about ten milliseconds, so the last request in a full queue of one account waits a fraction of a second.
        return FairSemaphore.Limits(
            permits: atOnce + 4, permitsPerKey: atOnce / 2, permitsPerNetwork: atOnce * 3 / 4, waiting: 512, waitingPerKey: 8,
            waitingPerNetwork: 64, reserve: 2, small: 1)
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
