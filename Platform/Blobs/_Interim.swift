package import Core
package import Database

// Delete me with this one line in MediaFeature: `static let blobReferences = BlobReferences(table: "media", column: "blob")`.
extension BlobAudit {
    package init(database: any Database, store: any BlobStore, references: [SQL], clock: WallClock) {
        self.init(database: database, store: store, references: [] as [BlobReferences], clock: clock)
    }
}
