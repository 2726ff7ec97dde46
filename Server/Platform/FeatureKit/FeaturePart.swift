package import Database
package import Jobs
package import ServiceLifecycle
package import Web

/// A part of a large feature, in a folder of its own: its tables, routes and jobs. The feature lists its parts. Everything has an empty
/// default.
package protocol FeaturePart: Sendable {
    /// Append-only.
    static var migrations: [Migration] { get }
    static var personalTables: [PersonalTable] { get }

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

extension FeaturePart {
    package static var migrations: [Migration] { [] }
    package static var personalTables: [PersonalTable] { [] }
    package var jobs: [JobHandler] { [] }
    package var services: [any Service] { [] }
    package func addRoutes(to routes: Routes) {}
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int { 0 }
    package func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {}
    package func show(_ account: String, _ tx: WriteTransaction) throws {}
}

extension [any FeaturePart] {
    /// Erases rows of the first part that has any left.
    /// - Returns: how many rows were deleted; 0 when no part has any left.
    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        for part in self {
            let erased = try part.erase(account, limit: limit, tx)
            if erased > 0 { return erased }
        }
        return 0
    }
}
