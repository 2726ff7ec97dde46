package import Database
package import Jobs
package import ServiceLifecycle

/// A room's front door: everything the server needs to know of it.
package protocol Feature: Sendable {
    /// The room's schema, in the order it is to be applied. Append-only.
    static var migrations: [Migration] { get }
    /// Loops the room needs while the server runs.
    var services: [any Service] { get }
    /// What does the room's jobs.
    var jobs: [JobHandler] { get }
    /// Likewise, where one takes minutes: they have places of their own, so that nothing else waits for them.
    var longJobs: [JobHandler] { get }
    /// Its part of the description of the API: the room's `openapi.yaml`.
    static var openAPI: [UInt8] { get }
    func addRoutes(to routes: Routes)
}

extension Feature {
    package var services: [any Service] { [] }
    package var jobs: [JobHandler] { [] }
    package var longJobs: [JobHandler] { [] }
}
