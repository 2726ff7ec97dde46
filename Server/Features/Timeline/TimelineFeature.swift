package import Database
package import FeatureKit
import KeepsakeWire
package import Web

/// One list of the entries of all features.
package struct TimelineFeature: Feature {
    private let handler: ReadTimeline

    /// - Parameter kinds: the entry kinds of all features.
    package init(_ context: FeatureContext, kinds: [EntryKind]) {
        handler = ReadTimeline(database: context.database, kinds: kinds, cursors: context.cursors, timeZone: context.timeZone)
    }

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    package func addRoutes(to routes: Routes) { routes.serve(TimelineEndpoints.timeline, handler.handle) }
}
