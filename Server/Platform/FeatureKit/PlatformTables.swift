import Blobs
package import Database
import Jobs
import Live
import Web

/// The platform's parts that have tables, in the order their migrations first run: before those of all features.
package enum PlatformTables {
    package static let owners: [any TableOwner.Type] = [
        DatabaseProbe.self, BlobLedger.self, UploadJournal.self, JobStore.self, EventLog.self, IdempotencyStore.self, SharedBuckets.self,
    ]
}
