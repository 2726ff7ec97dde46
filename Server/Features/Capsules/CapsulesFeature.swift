package import Blobs
package import Core
package import Database
package import Intelligence
package import Jobs
import KeepsakeWire
package import Live
package import Media
package import MediaTools
import Search
package import Timeline
package import Web

/// Recordings of voices, and what was said in them (surface 4): the room's front door.
package struct CapsulesFeature: Feature {
    let store: CapsuleStore
    private let gate: UploadGate
    private let library: MediaLibrary
    private let links: SignedLinks
    private let presenter: CapsulePresenter
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let work: TranscriptionWork

    /// - Parameter transcriber: `nil` where nobody listens.
    package init(
        database: any Database, gate: UploadGate, library: MediaLibrary, links: SignedLinks, cursors: Cursors, identifiers: Identifiers,
        events: EventLog, workers: MediaWorkers, transcriber: (any Transcriber)?
    ) {
        store = CapsuleStore(
            database: database, library: library, search: SearchIndex(), events: events,
            jobs: JobQueue(clock: identifiers.clock, identifiers: identifiers), clock: identifiers.clock)
        presenter = CapsulePresenter(library: library)
        self.gate = gate
        self.library = library
        self.links = links
        self.cursors = cursors
        self.identifiers = identifiers
        work = TranscriptionWork(store: store, blobs: gate.store, library: library, workers: workers, transcriber: transcriber)
    }

    package static var migrations: [Migration] { CapsuleMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package static let rowCounter = RowCounter(kind: "capsule", ids: CapsuleStore.olderRows, count: CapsuleStore.countRow)

    /// Its entries on the timeline, and among what was found.
    package var entryKind: EntryKind {
        EntryKind(
            [CapsuleStore.kind],
            page: { [store, presenter] request, tx in try store.timeline(request, tx).map(presenter.entry) },
            entries: { [store, presenter] ids, owner, tx in try store.capsules(ids, owner: owner, tx).map(presenter.entry) })
    }

    package var longJobs: [JobHandler] { [JobHandler(TranscribeCapsule.self, whenParked: work.whenParked, work.run)] }

    package func addRoutes(to routes: Routes) {
        routes.serve(
            CapsuleEndpoints.create,
            CreateCapsule(store: store, presenter: presenter, links: links, identifiers: identifiers).handle)
        routes.serve(
            upload: CapsuleEndpoints.uploadAudio,
            UploadAudio(store: store, gate: gate, library: library, presenter: presenter).handle)
        routes.serve(body: CapsuleEndpoints.putAudio, PutAudio(store: store, gate: gate, library: library, links: links).handle)
        routes.serve(CapsuleEndpoints.complete, CompleteCapsule(store: store, presenter: presenter).handle)
        routes.serve(CapsuleEndpoints.list, ListCapsules(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(CapsuleEndpoints.get, ReadCapsule(store: store, presenter: presenter).handle)
        routes.serve(CapsuleEndpoints.delete, DeleteCapsule(store: store).handle)
        routes.serve(CapsuleEndpoints.transcription, ReadTranscription(store: store, presenter: presenter).handle)
    }
}
