import Blobs
import Core
package import Database
package import FeatureKit
package import Foundation
import KeepsakeWire
package import Media
import Search
package import Web

/// Moods, memories and events (surface 0).
package struct MomentsFeature: Feature {
    let store: MomentStore
    private let gate: UploadGate
    private let library: MediaLibrary
    private let cursors: Cursors
    private let identifiers: Identifiers
    private let timeZone: @Sendable (String) async throws -> TimeZone

    /// - Parameter timeZone: reads the time zone of an account.
    package init(
        _ context: FeatureContext, library: MediaLibrary, timeZone: @escaping @Sendable (String) async throws -> TimeZone
    ) {
        store = MomentStore(database: context.database, library: library, search: SearchIndex(), events: context.events)
        gate = context.gate
        self.library = library
        cursors = context.cursors
        identifiers = context.identifiers
        self.timeZone = timeZone
    }

    private var presenter: @Sendable (_ owner: String) -> MomentPresenter {
        { [library] owner in MomentPresenter(links: library.links(of: owner)) }
    }

    package static var migrations: [Migration] { MomentMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    /// When a file is deleted from the library, moments drop their reference to it.
    package static var fileUses: [FileUse] {
        [FileUse { media, owner, tx in try MomentStore.removeReferences(of: media, owner: owner, tx) }]
    }

    package static var rowCounters: [RowCounter] {
        [RowCounter(kind: "moment", ids: Moment.table.ids(after:limit:), count: MomentStore.countRow)]
    }

    package var entryKinds: [EntryKind] {
        [
            EntryKind(
                Set(Moment.Kind.allCases.map(\.rawValue)),
                list: { [store, presenter] request, tx in try store.listed(request, presenter(request.owner), tx) },
                lengths: { [store] ids, owner, tx in try store.lengths(ids, owner: owner, tx) },
                entries: { [store, presenter] ids, owner, tx in try store.moments(ids, owner: owner, tx).map(presenter(owner).entry) })
        ]
    }

    package func addRoutes(to routes: Routes) {
        // This route comes before `moods/{id}`, which would also match.
        routes.serve(
            MomentEndpoints.moodStatistics, CountMoods(store: store, clock: identifiers.clock, timeZone: timeZone).handle)

        let mood = Handlers(feature: self, kind: .mood) { [presenter] in MoodResponse(mood: presenter($0.owner).mood($0)) }
        let updateMood: UpdateMoment<UpdateMoodInput, MoodResponse> = mood.update()
        routes.serve(upload: MomentEndpoints.createMood, mood.create.handle)
        routes.serve(
            MomentEndpoints.listMoods, written: ListMoods(store: store, cursors: cursors, timeZone: timeZone, library: library).handle)
        routes.serve(MomentEndpoints.readMood, mood.read.handle)
        routes.serve(MomentEndpoints.updateMood, before: updateMood.check, updateMood.handle)
        routes.serve(MomentEndpoints.deleteMood, mood.delete.handle)

        let memory = Handlers(feature: self, kind: .memory) { [presenter] in MemoryResponse(memory: presenter($0.owner).memory($0)) }
        let updateMemory: UpdateMoment<UpdateMemoryInput, MemoryResponse> = memory.update()
        routes.serve(upload: MomentEndpoints.createMemory, memory.create.handle)
        routes.serve(
            MomentEndpoints.listMemories,
            memory.list { [presenter] in MemoryListResponse(memories: $0.map(presenter($1).memory), pagination: $2) }.handle)
        routes.serve(MomentEndpoints.readMemory, memory.read.handle)
        routes.serve(MomentEndpoints.updateMemory, before: updateMemory.check, updateMemory.handle)
        routes.serve(MomentEndpoints.deleteMemory, memory.delete.handle)

        let event = Handlers(feature: self, kind: .event) { [presenter] in EventResponse(event: presenter($0.owner).event($0)) }
        let updateEvent: UpdateMoment<UpdateEventInput, EventResponse> = event.update()
        routes.serve(upload: MomentEndpoints.createEvent, event.create.handle)
        routes.serve(
            MomentEndpoints.listEvents,
            event.list { [presenter] in EventListResponse(events: $0.map(presenter($1).event), pagination: $2) }.handle)
        routes.serve(MomentEndpoints.readEvent, event.read.handle)
        routes.serve(MomentEndpoints.updateEvent, before: updateEvent.check, updateEvent.handle)
        routes.serve(MomentEndpoints.deleteEvent, event.delete.handle)
    }

    /// The handlers of one kind of moment. They differ only in how they render a moment.
    private struct Handlers<Output: Encodable & Sendable> {
        let feature: MomentsFeature
        let kind: Moment.Kind
        let render: @Sendable (Moment) -> Output

        var create: CreateMoment<Output> {
            CreateMoment(
                store: feature.store, kind: kind, gate: feature.gate, library: feature.library, identifiers: feature.identifiers,
                render: render)
        }
        func list<Page: Sendable>(_ render: @escaping @Sendable ([Moment], String, Pagination) -> Page) -> ListMoments<Page> {
            ListMoments(store: feature.store, kind: kind, cursors: feature.cursors, timeZone: feature.timeZone, render: render)
        }
        var read: ReadMoment<Output> { ReadMoment(store: feature.store, kind: kind, render: render) }
        func update<Input>() -> UpdateMoment<Input, Output> { UpdateMoment(store: feature.store, kind: kind, render: render) }
        var delete: DeleteMoment { DeleteMoment(store: feature.store, kind: kind) }
    }
}
