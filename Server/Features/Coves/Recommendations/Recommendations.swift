import Core
import Database
import FeatureKit
import KeepsakeWire
import Media
import Web

/// The part of the feature that recommends people of the caller's coves as friends.
struct Recommendations: CovePart {
    private let list: ListRecommendedFriends

    init(_ context: FeatureContext, library: MediaLibrary) {
        list = ListRecommendedFriends(
            store: RecommendationStore(database: context.database, clock: context.clock), library: library, cursors: context.cursors)
    }

    func addRoutes(to routes: Routes) { routes.serve(CoveEndpoints.recommendedFriends, list.handle) }
}
