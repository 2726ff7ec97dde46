package import Blobs
package import Core
package import Database
import KeepsakeWire
package import Live
package import Logging
package import MediaTools
package import ServiceLifecycle
package import Timeline
package import Web

/// Uploads and the media library (surface 0): the room's front door.
package struct MediaFeature: Feature {
    let store: MediaStore
    let gate: UploadGate
    let variants: VariantMaker
    let presenter: MediaPresenter
    let identifiers: Identifiers
    let cursors: Cursors
    private let counters: [RowCounter]
    private let quota: StagingQuota
    private let logger: Logger

    /// - Parameters:
    ///   - workers: make smaller copies.
    ///   - uses: hear of files that are taken away.
    ///   - counters: count older rows of features whose rows count against the quota.
    package init(
        database: any Database, gate: UploadGate, workers: MediaWorkers, ledger: BlobLedger, links: SignedLinks, cursors: Cursors,
        identifiers: Identifiers, quota: MediaQuota, events: EventLog, uses: [FileUse], counters: [RowCounter], logger: Logger
    ) {
        store = MediaStore(database: database, ledger: ledger, clock: identifiers.clock, quota: quota, events: events, uses: uses)
        self.gate = gate
        variants = VariantMaker(store: store, blobs: gate.store, workers: workers)
        presenter = MediaPresenter(links: links)
        self.identifiers = identifiers
        self.cursors = cursors
        self.counters = [MediaStore.rowCounter] + counters
        self.quota = StagingQuota(database: database, quota: quota, clock: identifiers.clock)
        self.logger = logger
    }

    /// What other rooms do with files.
    package var library: MediaLibrary { MediaLibrary(store: store, presenter: presenter, identifiers: identifiers) }

    package static var migrations: [Migration] { MediaMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) {
        routes.serve(
            upload: MediaEndpoints.upload,
            UploadMedia(store: store, gate: gate, presenter: presenter, identifiers: identifiers).handle)
        routes.serve(
            upload: MediaEndpoints.profilePicture,
            UploadProfilePicture(store: store, gate: gate, presenter: presenter, identifiers: identifiers).handle)
        routes.serve(MediaEndpoints.list, ListMedia(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(MediaEndpoints.get, ReadMedia(store: store, presenter: presenter).handle)
        let update = UpdateMedia(store: store, presenter: presenter)
        routes.serve(MediaEndpoints.update, before: update.check, update.handle)
        routes.serve(MediaEndpoints.delete, DeleteMedia(store: store).handle)
        routes.serve(MediaEndpoints.waveform, ReadWaveform(store: store).handle)
        routes.serve(file: MediaEndpoints.file, ServeFile(store: store, blobs: gate.store, variants: variants).handle)
    }

    /// Files, among what was found.
    package var entryKind: EntryKind { store.entryKind(presenter) }

    package var services: [any Service] {
        [
            Upkeep("media index", every: .minutes(10), logger: logger) { [store] in try await store.indexOlderRows() },
            Upkeep("upload reservations", every: .minutes(1), logger: logger) { [quota] in try await quota.sweep() },
            Upkeep("row bytes", every: .minutes(10), logger: logger) { [store, counters] in try await store.countOlderRows(counters) },
        ]
    }

    /// Which rows hold which bytes, for `keepsake verify`.
    package static let blobReferences = [
        BlobReferences(table: "media", column: "blob"), BlobReferences(table: "media_variant", column: "blob"),
    ]
}
