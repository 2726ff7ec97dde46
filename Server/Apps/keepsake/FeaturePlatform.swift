import Blobs
import Core
import Database
import FeatureKit
import Live
import Logging
import MediaTools
import Outbound
import Web

/// The parts of the platform that features need.
struct FeaturePlatform: Sendable {
    let database: any Database
    let blobs: any BlobStore
    let ledger: BlobLedger
    let scanner: (any UploadScanner)?
    let workers: MediaWorkers
    let files: BlobFiles
    let outbound: OutboundHTTP
    /// Records calls to engines outside the installation.
    let calls: CallLedger
    /// Limits the requests of clients; `nil` without limits.
    let limiter: RateLimiter?
    let hub: Hub
    let identifiers: Identifiers
    let publicURL: @Sendable () -> String
    /// The quick checks of what the server needs to work.
    let checks: [Operations.Check]
    let installation: InstallationGauges
    let logger: Logger

    /// - Parameter secret: returns the installation's secret of that name, which has 32 bytes.
    func context(
        _ gate: UploadGate, _ settings: Settings, _ secret: (_ name: String) async throws -> Secret<[UInt8]>
    ) async throws -> FeatureContext {
        FeatureContext(
            database: database, gate: gate, ledger: ledger, events: EventLog(clock: identifiers.clock), hub: hub,
            identifiers: identifiers,
            links: SignedLinks(
                publicURL: publicURL, signer: Signer(key: try await secret("links").exposed), lifetimeDays: settings.linkDays,
                clock: identifiers.clock),
            cursors: Cursors(signer: Signer(key: try await secret("cursors").exposed)), outbound: outbound, timeZone: settings.timeZone,
            publicURL: publicURL, settings: settings.features, logger: logger)
    }
}

extension FeaturePlatform {
    /// Limits the calls to engines outside the installation; `nil` without limits.
    var rates: (any CallRates)? { limiter.map { LimitedCalls(limiter: $0) } }

    private struct LimitedCalls: CallRates {
        let limiter: RateLimiter

        func take(account: String, network: Network?) async throws -> Duration? {
            try await limiter.takeOutsideCall(account: account, network: network)
        }
    }
}
