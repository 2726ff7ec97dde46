import Blobs
import Core
package import Database
package import FeatureKit
import Foundation
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
    private let timeZone: TimeZone

    package init(_ context: FeatureContext, library: MediaLibrary) {
        store = MomentStore(database: context.database, library: library, search: SearchIndex(), events: context.events)
        gate = context.gate
        self.library = library
        cursors = context.cursors
        identifiers = context.identifiers
        timeZone = context.timeZone
    }

    private var presenter: @Sendable (_ owner: String) -> MomentPresenter {
        { [library] owner in MomentPresenter(links: library.links(of: owner)) }
    }

    package static var migrations: [Migration] { MomentMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    /// When a file is deleted from the library, moments drop their reference to it.
    package static var fileUses: [FileUse] {
        [FileUse { media, owner, tx in try MomentStore.letGo(of: media, owner: owner, tx) }]
    }

    package static var rowCounters: [RowCounter] {
        [RowCounter(kind: "moment", ids: MomentStore.olderRows, count: MomentStore.countRow)]
    }

    package var entryKinds: [EntryKind] {
        [
            EntryKind(
                Set(Moment.Kind.allCases.map(\.rawValue)),
                page: { [store, presenter] request, tx in try store.timeline(request, tx).map(presenter(request.owner).entry) },
                entries: { [store, presenter] ids, owner, tx in try store.moments(ids, owner: owner, tx).map(presenter(owner).entry) })
        ]
    }

    package func addRoutes(to routes: Routes) {
        let create = CreateMoment(store: store, gate: gate, library: library, identifiers: identifiers)
        let list = ListMoments(store: store, cursors: cursors)
        let read = ReadMoment(store: store)
        let update = UpdateMoment(store: store)
        let delete = DeleteMoment(store: store)
        let presenter = presenter

        // Before `moods/{id}`, which it would match too.
        routes.serve(
            MomentEndpoints.moodStatistics, CountMoods(store: store, clock: identifiers.clock, timeZone: timeZone).handle)
        routes.serve(upload: MomentEndpoints.createMood) { _, form, context in
            try await create.handle(.mood, form, context) { MoodResponse(mood: presenter($0.owner).mood($0)) }
        }
        routes.serve(MomentEndpoints.listMoods) { input, context in
            let (moods, pagination) = try await list.handle(.mood, input, context)
            return MoodListResponse(moods: moods.map(presenter(try context.requireViewer().accountID).mood), pagination: pagination)
        }
        routes.serve(MomentEndpoints.readMood) { input, context in
            let mood = try await read.handle(.mood, input, context)
            return MoodResponse(mood: presenter(mood.owner).mood(mood))
        }
        routes.serve(MomentEndpoints.updateMood, before: update.check(.mood)) { input, context in
            let mood = try await update.handle(.mood, input.id, MomentChange(input), context)
            return MoodResponse(mood: presenter(mood.owner).mood(mood))
        }
        routes.serve(MomentEndpoints.deleteMood) { input, context in try await delete.handle(.mood, input, context) }

        routes.serve(upload: MomentEndpoints.createMemory) { _, form, context in
            try await create.handle(.memory, form, context) { MemoryResponse(memory: presenter($0.owner).memory($0)) }
        }
        routes.serve(MomentEndpoints.listMemories) { input, context in
            let (memories, pagination) = try await list.handle(.memory, input, context)
            return MemoryListResponse(
                memories: memories.map(presenter(try context.requireViewer().accountID).memory), pagination: pagination)
        }
        routes.serve(MomentEndpoints.readMemory) { input, context in
            let memory = try await read.handle(.memory, input, context)
            return MemoryResponse(memory: presenter(memory.owner).memory(memory))
        }
        routes.serve(MomentEndpoints.updateMemory, before: update.check(.memory)) { input, context in
            let memory = try await update.handle(.memory, input.id, MomentChange(input), context)
            return MemoryResponse(memory: presenter(memory.owner).memory(memory))
        }
        routes.serve(MomentEndpoints.deleteMemory) { input, context in try await delete.handle(.memory, input, context) }

        routes.serve(upload: MomentEndpoints.createEvent) { _, form, context in
            try await create.handle(.event, form, context) { EventResponse(event: presenter($0.owner).event($0)) }
        }
        routes.serve(MomentEndpoints.listEvents) { input, context in
            let (events, pagination) = try await list.handle(.event, input, context)
            return EventListResponse(events: events.map(presenter(try context.requireViewer().accountID).event), pagination: pagination)
        }
        routes.serve(MomentEndpoints.readEvent) { input, context in
            let event = try await read.handle(.event, input, context)
            return EventResponse(event: presenter(event.owner).event(event))
        }
        routes.serve(MomentEndpoints.updateEvent, before: update.check(.event)) { input, context in
            let event = try await update.handle(.event, input.id, MomentChange(input), context)
            return EventResponse(event: presenter(event.owner).event(event))
        }
        routes.serve(MomentEndpoints.deleteEvent) { input, context in try await delete.handle(.event, input, context) }
    }
}
