import Database
import FeatureKit
import Jobs
import Web

/// A part of the feature, in a folder of its own: its tables, routes and jobs. `PeopleFeature` lists the parts; everything but `migrations`,
/// `surfaces` and `addRoutes` has an empty default.
protocol PeoplePart: Sendable {
    /// Append-only.
    static var migrations: [Migration] { get }
    static var personalTables: [PersonalTable] { get }
    /// See `Feature.surfaces`.
    static var surfaces: [PathSurface] { get }

    var jobs: [JobHandler] { get }
    func addRoutes(to routes: Routes)
    /// See `Feature.erase`.
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int
    /// See `Feature.hide`.
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws
    /// See `Feature.show`.
    func show(_ account: String, _ tx: WriteTransaction) throws
}

extension PeoplePart {
    static var personalTables: [PersonalTable] { [] }
    var jobs: [JobHandler] { [] }
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {}
    func show(_ account: String, _ tx: WriteTransaction) throws {}
}
