import Core
package import Database
package import FeatureKit
import Jobs
import KeepsakeWire
import Logging
import Nodes
package import Outbound
package import Web

/// What administrators see of the whole installation: its health, nodes, disk, database and jobs, and what it sent to engines outside the
/// installation. The feature has no tables. It reads those of the platform.
package struct InstallationFeature: Feature {
    /// Facts about the running program.
    package struct Program: Sendable {
        let version: String
        let databaseEngine: String
        let checks: [Operations.Check]
        let figures: @Sendable () -> InstallationFigures

        /// - Parameters:
        ///   - checks: health checks, which run for each request.
        ///   - figures: the latest measurements.
        package init(
            version: String, databaseEngine: String, checks: [Operations.Check], figures: @escaping @Sendable () -> InstallationFigures
        ) {
            self.version = version
            self.databaseEngine = databaseEngine
            self.checks = checks
            self.figures = figures
        }
    }

    private let status: ReadStatus
    private let listJobs: ListJobs
    private let retryJob: RetryJob
    private let listCalls: ListOutsideCalls

    package init(_ context: FeatureContext, program: Program, calls: CallLedger) {
        let jobs = JobStore(database: context.database, clock: context.clock)
        status = ReadStatus(
            program: program, nodes: NodeStore(database: context.database, clock: context.clock), clock: context.clock,
            logger: context.logger)
        listJobs = ListJobs(store: jobs, cursors: context.cursors)
        retryJob = RetryJob(store: jobs, logger: context.logger)
        listCalls = ListOutsideCalls(ledger: calls, cursors: context.cursors)
    }

    package static var migrations: [Migration] { [] }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] {
        ["/admin/status", "/admin/jobs", "/admin/outside"].map { PathSurface($0, .capsules) }
    }

    package func addRoutes(to routes: Routes) {
        routes.serve(AdminEndpoints.status, status.handle)
        routes.serve(AdminEndpoints.jobs, listJobs.handle)
        routes.serve(AdminEndpoints.retryJob, retryJob.handle)
        routes.serve(AdminEndpoints.outside, listCalls.handle)
    }
}
