import Blobs
package import Database
import Jobs
import Live
import Nodes
import Outbound
import Transfer
import Web

/// The platform modules that own tables, in the order in which their migrations run. The migrations of all features run after them.
package enum PlatformTables {
    package static let owners: [any TableOwner.Type] = [
        DatabaseProbe.self, BlobLedger.self, UploadJournal.self, JobStore.self, EventLog.self, IdempotencyStore.self, SharedBuckets.self,
        NodeStore.self, Turns.self, TransferState.self, CallLedger.self,
    ]
}
