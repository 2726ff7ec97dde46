package import Blobs
package import Core
package import Database
package import Live
package import Web
import Wire

/// Uploads and the media library (surface 0): the room's front door.
package struct MediaFeature: Feature {
    let store: MediaStore
    let blobs: any BlobStore
    let presenter: MediaPresenter
    let identifiers: Identifiers
    let cursors: Cursors
    let scanner: (any UploadScanner)?

    /// - Parameter scanner: looks at every upload; `nil` where nothing is scanned.
    package init(
        database: any Database, blobs: any BlobStore, ledger: BlobLedger, links: SignedLinks, cursors: Cursors, identifiers: Identifiers,
        quota: MediaQuota, events: EventLog, scanner: (any UploadScanner)?
    ) {
        store = MediaStore(database: database, ledger: ledger, clock: identifiers.clock, quota: quota, events: events)
        self.blobs = blobs
        presenter = MediaPresenter(links: links)
        self.identifiers = identifiers
        self.cursors = cursors
        self.scanner = scanner
    }

    package static var migrations: [Migration] { MediaMigrations.all }

    package func addRoutes(to routes: Routes) {
        routes.serve(
            upload: MediaEndpoints.upload,
            UploadMedia(store: store, blobs: blobs, scanner: scanner, presenter: presenter, identifiers: identifiers).handle)
        routes.serve(
            upload: MediaEndpoints.profilePicture,
            UploadProfilePicture(store: store, blobs: blobs, scanner: scanner, presenter: presenter, identifiers: identifiers).handle)
        routes.serve(MediaEndpoints.list, ListMedia(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(MediaEndpoints.get, ReadMedia(store: store, presenter: presenter).handle)
        routes.serve(MediaEndpoints.update, UpdateMedia(store: store, presenter: presenter).handle)
        routes.serve(MediaEndpoints.delete, DeleteMedia(store: store).handle)
        routes.serve(file: MediaEndpoints.file, ServeFile(store: store, blobs: blobs).handle)
    }

    /// Which rows hold which bytes, for `keepsake verify`.
    package static let blobReferences = BlobReferences(table: "media", column: "blob")
}
