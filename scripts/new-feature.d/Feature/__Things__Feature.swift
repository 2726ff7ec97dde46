import Blobs
import Core
package import Database
package import FeatureKit
package import Jobs
import KeepsakeWire
package import Media
import Search
package import Web

/// __Things__ (surface 0): a title and a file.
package struct __Things__Feature: Feature {
    private let store: __Thing__Store
    private let presenter: __Thing__Presenter
    private let library: MediaLibrary
    private let gate: UploadGate
    private let identifiers: Identifiers
    private let cursors: Cursors

    package init(_ context: FeatureContext, library: MediaLibrary) {
        store = __Thing__Store(
            database: context.database, library: library, search: SearchIndex(), events: context.events, jobs: context.jobs)
        presenter = __Thing__Presenter(library: library)
        self.library = library
        gate = context.gate
        identifiers = context.identifiers
        cursors = context.cursors
    }

    package static var migrations: [Migration] { __Thing__Migrations.all }
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    package func addRoutes(to routes: Routes) {
        routes.serve(
            upload: __Thing__Endpoints.create,
            Create__Thing__(store: store, presenter: presenter, library: library, gate: gate, identifiers: identifiers).handle)
        routes.serve(__Thing__Endpoints.list, List__Things__(store: store, presenter: presenter, cursors: cursors).handle)
        routes.serve(__Thing__Endpoints.read, Read__Thing__(store: store, presenter: presenter).handle)
        routes.serve(__Thing__Endpoints.delete, Delete__Thing__(store: store).handle)
    }

    package var jobs: [JobHandler] {
        [JobHandler(Count__Thing__Words.self) { [store] run in try await store.countWords(run) }]
    }

    /// The kinds of entries for the timeline and for search.
    package var entryKinds: [EntryKind] {
        [
            EntryKind(
                [__Thing__.kind],
                page: { [store, presenter] request, tx in try store.timeline(request, tx).map(presenter.entry) },
                entries: { [store, presenter] ids, owner, tx in try store.entries(ids, owner: owner, tx).map(presenter.entry) })
        ]
    }

    /// When a file is deleted from the library, its __thing__ stays, but without the file.
    package static var fileUses: [FileUse] {
        [FileUse { file, owner, tx in try tx.run(__Thing__Store.dropping(file, owner: owner)) }]
    }

    package static var personalTables: [PersonalTable] {
        [
            PersonalTable(
                "__thing__", owner: .column("owner"), order: ["created_at", "id"],
                columns: [
                    .plain("id"), .plain("title"), .time("created_at"), .plain("file"), .plain("word_count"), .plain("row_bytes"),
                    .withheld("owner"),
                ],
                ending: .batches)
        ]
    }

    package func erase(_ account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try store.eraseSome(of: account, limit: limit, tx)
    }
}
