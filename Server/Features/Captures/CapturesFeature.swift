package import Accounts
package import Blobs
import Core
package import Database
package import FeatureKit
package import Intelligence
package import Jobs
import KeepsakeWire
import Live
import Logging
package import Media
package import MediaTools
package import ServiceLifecycle
package import Web

/// Captures (surface 3): photos, recordings and texts that devices send as they are made; their analyses by engines, the people that they
/// mention, and summaries of hours and days.
package struct CapturesFeature: Feature {
    let store: CaptureStore
    let inbox: CaptureInbox
    /// The most transcriptions that have a local file at the same time. The job runner runs no more at a time.
    private static let transcriptionCount = 2

    private let processing: CaptureProcessing
    private let condensing: Condensing
    let presenter: CapturePresenter
    private let library: MediaLibrary
    private let served: LibraryFiles
    private let gate: UploadGate
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let hub: Hub
    private let logger: Logger

    /// - Parameters:
    ///   - served: serves files of the library.
    ///   - workers: decode recordings for the transcription.
    ///   - allowsAnonymous: whether requests without a credential act as the user in their path.
    package init(
        _ context: FeatureContext, accounts: AccountsFeature, library: MediaLibrary, served: LibraryFiles, workers: MediaWorkers,
        files: BlobFiles, engines: Engines, allowsAnonymous: Bool = false,
        inbox settings: CaptureInbox.Settings = CaptureInbox.Settings()
    ) {
        store = CaptureStore(
            database: context.database, library: library, accounts: accounts, events: context.events, jobs: context.jobs,
            identifiers: context.identifiers, allowsAnonymous: allowsAnonymous)
        inbox = CaptureInbox(store: store, settings: settings, logger: context.logger)
        processing = CaptureProcessing(
            store: store, blobs: context.blobs, files: files, recordingFiles: files.separate(copies: Self.transcriptionCount),
            recordings: RecordingTranscription(workers: workers), engines: engines, inbox: inbox)
        condensing = Condensing(store: store)
        presenter = CapturePresenter(links: CaptureLinks(links: context.links, library: library))
        self.library = library
        self.served = served
        gate = context.gate
        cursors = context.cursors
        identifiers = context.identifiers
        hub = context.hub
        logger = context.logger
        // This closure needs the store. It is used instead of `fileUses`, which can only drop references.
        library.beforeErasing { [store] library in
            var store = store
            store.library = library
            return { [store] file, owner, tx in try store.forget(file: file, owner: owner, tx) }
        }
        library.beforeDeleting { [store] library in
            var store = store
            store.library = library
            return { [store] files, owner in try await store.forgetMost(of: files, owner: owner) }
        }
    }

    package static var migrations: [Migration] { CaptureMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] {
        ["/captures", "/contacts/known", "/summaries", "/memories", "/raw-media", "/ws/ios"].map { PathSurface($0, .captures) }
            + [PathSurface("/upload", .uploads), PathSurface("/query-upload", .uploads)]
    }

    package func addRoutes(to routes: Routes) {
        let uploads = UploadCapture(store: store, library: library, gate: gate, links: presenter.links)
        routes.serve(upload: CaptureEndpoints.upload, uploads.handle)
        routes.serve(upload: AskEndpoints.upload, UploadQuery(uploads: uploads).handle)
        let socket = CaptureSocket(inbox: inbox, hub: hub, identifiers: identifiers)
        routes.serve(webSocket: CaptureEndpoints.socket, limits: CaptureSocket.limits, admit: socket.admit, socket.talk)
        routes.serve(file: CaptureEndpoints.file, ServeCaptureFile(store: store, files: served).handle)
        routes.serve(CaptureEndpoints.list, ListCaptures(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(CaptureEndpoints.read, ReadCapture(store: store, presenter: presenter).handle)
        routes.serve(CaptureEndpoints.correct, CorrectCapture(store: store, presenter: presenter).handle)
        routes.serve(CaptureEndpoints.delete, DeleteCapture(store: store).handle)
        routes.serve(CaptureEndpoints.deleteSpan, DeleteCaptureSpan(store: store).handle)
        routes.serve(KnownContactEndpoints.list, ListKnownContacts(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(KnownContactEndpoints.edit, EditKnownContact(store: store, presenter: presenter).handle)
        routes.serve(KnownContactEndpoints.delete, DeleteKnownContact(store: store).handle)
        routes.serve(KnownContactEndpoints.merge, MergeKnownContact(store: store, presenter: presenter).handle)
        routes.serve(KnownContactEndpoints.split, SplitKnownContact(store: store, presenter: presenter).handle)
        routes.serve(CaptureSummaryEndpoints.memory, missing: ReadMemoryDay.missing, ReadMemoryDay(store: store).handle)
        routes.serve(CaptureSummaryEndpoints.hourly, ListHourlySummaries(store: store, cursors: cursors).handle)
        routes.serve(CaptureSummaryEndpoints.daily, ListDailySummaries(store: store, cursors: cursors).handle)
    }

    // MARK: Background work

    package var longJobs: [JobHandler] {
        [JobHandler(TranscribeCapture.self, whenParked: processing.whenParked, processing.transcribe)]
    }

    package var patientJobs: [JobHandler] {
        let concurrency = processing.engines.analyzer(outside: true).concurrency
        return [
            // The engine analyses as many captures as it can at a time. Two more jobs read their files or store their results meanwhile.
            // The other jobs stay in the queue, where accounts take turns by the time that their jobs took.
            JobHandler(AnalyseCapture.self, most: concurrency.map { $0 + 2 }, whenParked: processing.whenParked, processing.analyse),
            JobHandler(
                AnalysePicture.self, most: concurrency == nil ? AnalysePicture.mostOutside : AnalysePicture.most,
                whenParked: processing.whenParked, processing.analysePicture),
            JobHandler(
                StandInForAnalysis.self, most: StandInForAnalysis.most, whenParked: processing.whenParked, processing.standIn),
            JobHandler(FileCapture.self, processing.file),
            JobHandler(CondenseHour.self, whenParked: condensing.whenParked, condensing.condense),
            JobHandler(CondenseDay.self, whenParked: condensing.whenParked, condensing.condense),
        ]
    }

    package var services: [any Service] {
        [
            inbox,
            Upkeep("ids of deleted captures", every: .minutes(60), logger: logger) { [store] in try await store.sweepTombstones() },
            // Until a deletion is finished, captures are filed under names that should be forgotten.
            Upkeep("contacts being deleted", every: .minutes(1), logger: logger) { [store] in try await store.finishDeletions() },
        ]
    }

    // MARK: Other features

    package var entryKinds: [EntryKind] {
        [
            EntryKind(
                [StoredCapture.kind],
                list: { [store] request, tx in try store.timeline(request, tx) },
                lengths: { [store] ids, owner, tx in try store.lengths(ids, owner: owner, tx) },
                entries: { [store, presenter] ids, owner, tx in try store.wholes(ids, owner: owner, tx).map(presenter.entry) })
        ]
    }
}
