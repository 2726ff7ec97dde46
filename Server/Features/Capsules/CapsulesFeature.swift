package import Blobs
import Core
package import Database
package import FeatureKit
package import Intelligence
package import Jobs
import KeepsakeWire
package import Media
package import MediaTools
import Search
package import Web

/// Voice recordings and their transcripts (surface 4).
package struct CapsulesFeature: Feature {
    let store: CapsuleStore
    private let gate: UploadGate
    private let library: MediaLibrary
    private let links: SignedLinks
    private let presenter: CapsulePresenter
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let engines: Engines
    private let work: TranscriptionWork

    /// The most transcriptions that the job runner runs at a time. Each uses a local file for minutes.
    package static let transcriptionCount = 2

    /// - Parameters:
    ///   - files: copies blobs to local files for the workers.
    ///   - allowsOutside: whether the account's owner allows engines outside the installation.
    package init(
        _ context: FeatureContext, library: MediaLibrary, workers: MediaWorkers, files: BlobFiles, engines: Engines,
        allowsOutside: @escaping @Sendable (_ account: String) async throws -> Bool
    ) {
        store = CapsuleStore(
            database: context.database, library: library, search: SearchIndex(), events: context.events, jobs: context.jobs,
            clock: context.clock)
        presenter = CapsulePresenter(library: library)
        gate = context.gate
        self.library = library
        links = context.links
        cursors = context.cursors
        identifiers = context.identifiers
        self.engines = engines
        work = TranscriptionWork(
            store: store, blobs: context.blobs, files: files.separate(copies: Self.transcriptionCount), library: library,
            recordings: RecordingTranscription(workers: workers)
        ) { owner in engines.transcriber(outside: try await allowsOutside(owner)) }
    }

    package static var migrations: [Migration] { CapsuleMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package static var surfaces: [PathSurface] { [PathSurface("/v0/capsules", .capsules)] }

    package static var rowCounters: [RowCounter] {
        [RowCounter(kind: "capsule", ids: StoredCapsule.table.ids(after:limit:), count: CapsuleStore.countRow)]
    }

    package var entryKinds: [EntryKind] {
        [
            EntryKind(
                [CapsuleStore.kind],
                list: { [store] request, tx in try store.timeline(request, tx) },
                lengths: { [store] ids, owner, tx in try store.lengths(ids, owner: owner, tx) },
                entries: { [store, presenter] ids, owner, tx in try store.capsules(ids, owner: owner, tx).map(presenter.entry) })
        ]
    }

    package var examinations: [Examination] {
        [
            Examination(name: "transcriber") { [engines] in
                guard let transcriber = engines.transcriber(outside: true) else {
                    return "off: capsules are not transcribed; set KEEPSAKE_TRANSCRIBER to openai or pocketsphinx"
                }
                return "\(transcriber.name): \(try await transcriber.probe())"
            }
        ]
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
