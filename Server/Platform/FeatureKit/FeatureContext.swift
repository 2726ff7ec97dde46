package import Blobs
package import Core
package import Database
package import Foundation
package import Jobs
package import Live
package import Logging
package import Outbound
package import Web

/// The services that the server passes to every feature. A feature keeps only those it needs.
///
/// Services that only one or two features use (the media workers, the transcriber, the mail server, another feature's library) are separate
/// parameters of their `init`, so that an edit in Mail or Intelligence does not rebuild features that do not use it.
package struct FeatureContext: Sendable {
    package let database: any Database
    /// Stages uploads, scans them and checks them against the quota.
    package let gate: UploadGate
    /// Records which rows refer to which blobs.
    package let ledger: BlobLedger
    /// Notifies the account's devices and the other features of changes.
    package let events: EventLog
    /// Delivers those events to sockets.
    package let hub: Hub
    package let identifiers: Identifiers
    /// Creates absolute, signed links.
    package let links: SignedLinks
    package let cursors: Cursors
    /// Limits how many archives the server sends at the same time.
    package let archives: ArchiveTurns
    /// Sends requests to other services.
    package let outbound: OutboundHTTP
    /// The time zone in which days begin, unless the request names another.
    package let timeZone: TimeZone
    /// The URL that clients use, without a trailing slash. It is a closure, because port 0 is resolved to a free port only when the server
    /// binds.
    package let publicURL: @Sendable () -> String
    /// The values of the features' own settings.
    package let settings: FeatureSettings
    package let logger: Logger

    package init(
        database: any Database, gate: UploadGate, ledger: BlobLedger, events: EventLog, hub: Hub, identifiers: Identifiers,
        links: SignedLinks, cursors: Cursors, archives: ArchiveTurns = ArchiveTurns(), outbound: OutboundHTTP, timeZone: TimeZone,
        publicURL: @escaping @Sendable () -> String,
        settings: FeatureSettings, logger: Logger
    ) {
        self.database = database
        self.gate = gate
        self.ledger = ledger
        self.events = events
        self.hub = hub
        self.identifiers = identifiers
        self.links = links
        self.cursors = cursors
        self.archives = archives
        self.outbound = outbound
        self.timeZone = timeZone
        self.publicURL = publicURL
        self.settings = settings
        self.logger = logger
    }

    package var blobs: any BlobStore { gate.store }
    package var clock: WallClock { identifiers.clock }
    package var entropy: Entropy { identifiers.entropy }
    /// Enqueues jobs inside a write transaction.
    package var jobs: JobQueue { JobQueue(clock: clock, identifiers: identifiers) }
}
