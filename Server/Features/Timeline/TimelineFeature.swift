package import Database
package import Foundation
import KeepsakeWire
package import Web

/// One list of everything that was kept, whatever room keeps it.
package struct TimelineFeature: Feature {
    private let handler: ReadTimeline

    /// - Parameters:
    ///   - kinds: what the rooms registered.
    ///   - timeZone: where days begin.
    package init(database: any Database, kinds: [EntryKind], cursors: Cursors, timeZone: TimeZone) {
        handler = ReadTimeline(database: database, kinds: kinds, cursors: cursors, timeZone: timeZone)
    }

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) { routes.serve(TimelineEndpoints.timeline, handler.handle) }
}
