import Database
import FeatureKit
import Jobs
import ServiceLifecycle
import Web

/// A part of the feature, in a folder of its own: its tables, routes and jobs. `CovesFeature` lists the parts; everything has an empty
/// default.
protocol CovePart: Sendable {
    /// Append-only.
    static var migrations: [Migration] { get }
    static var personalTables: [PersonalTable] { get }
    /// See `Feature.fileUses`.
    static var fileUses: [FileUse] { get }

    var jobs: [JobHandler] { get }
    var services: [any Service] { get }
    func addRoutes(to routes: Routes)
    /// See `Feature.erase`.
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int
    /// See `Feature.hide`.
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws
    /// See `Feature.show`.
    func show(_ account: String, _ tx: WriteTransaction) throws
}

extension CovePart {
    static var migrations: [Migration] { [] }
    static var personalTables: [PersonalTable] { [] }
    static var fileUses: [FileUse] { [] }
    var jobs: [JobHandler] { [] }
    var services: [any Service] { [] }
    func addRoutes(to routes: Routes) {}
    func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {}
    func show(_ account: String, _ tx: WriteTransaction) throws {}
}
