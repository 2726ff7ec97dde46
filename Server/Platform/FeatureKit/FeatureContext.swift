package import Blobs
package import Core
package import Database
package import Foundation
package import Jobs
package import Live
package import Logging
package import Outbound
package import Web

/// What the server gives every feature. A feature takes what it needs in its `init` and keeps no more than that.
///
/// What only one or two features use (the media workers, the transcriber, the mail server, another feature's library) is a parameter of
/// their own, so that an edit in Mail or Intelligence does not rebuild the features that never call it.
package struct FeatureContext: Sendable {
    package let database: any Database
    /// Where uploads are staged, scanned and checked against the quota.
    package let gate: UploadGate
    /// Who refers to which bytes.
    package let ledger: BlobLedger
    /// Tells the account's devices and the other features what happened.
    package let events: EventLog
    package let identifiers: Identifiers
    /// Makes absolute, signed links.
    package let links: SignedLinks
    package let cursors: Cursors
    /// Sends requests to other services.
    package let outbound: OutboundHTTP
    /// Where days begin unless the request says otherwise.
    package let timeZone: TimeZone
    /// The address clients use, without a slash at its end. A closure, because a free port is known only once it is bound.
    package let publicURL: @Sendable () -> String
    /// The values of the features' own settings.
    package let settings: FeatureSettings
    package let logger: Logger

    package init(
        database: any Database, gate: UploadGate, ledger: BlobLedger, events: EventLog, identifiers: Identifiers, links: SignedLinks,
        cursors: Cursors, outbound: OutboundHTTP, timeZone: TimeZone, publicURL: @escaping @Sendable () -> String,
        settings: FeatureSettings, logger: Logger
    ) {
        self.database = database
        self.gate = gate
        self.ledger = ledger
        self.events = events
        self.identifiers = identifiers
        self.links = links
        self.cursors = cursors
        self.outbound = outbound
        self.timeZone = timeZone
        self.publicURL = publicURL
        self.settings = settings
        self.logger = logger
    }

    package var blobs: any BlobStore { gate.store }
    package var clock: WallClock { identifiers.clock }
    package var entropy: Entropy { identifiers.entropy }
    /// Enqueues jobs inside a write.
    package var jobs: JobQueue { JobQueue(clock: clock, identifiers: identifiers) }
}
