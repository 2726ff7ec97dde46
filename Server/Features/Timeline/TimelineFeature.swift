package import Database
package import FeatureKit
package import Foundation
import KeepsakeWire
package import Web

/// Lists the entries of all features in one list.
package struct TimelineFeature: Feature {
    private let handler: ReadTimeline

    /// - Parameters:
    ///   - kinds: the entry kinds of all features.
    ///   - timeZone: reads the time zone of an account.
    package init(_ context: FeatureContext, kinds: [EntryKind], timeZone: @escaping @Sendable (String) async throws -> TimeZone) {
        handler = ReadTimeline(database: context.database, kinds: kinds, cursors: context.cursors, timeZone: timeZone)
    }

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    package func addRoutes(to routes: Routes) { routes.serve(TimelineEndpoints.timeline, handler.handle) }
}
