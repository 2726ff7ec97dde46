package import Accounts
package import Blobs
package import Core
package import Database
package import FeatureKit
import Foundation
package import Jobs
import KeepsakeWire
import Logging
package import MediaTools
package import ServiceLifecycle
package import Web

/// Uploads and the media library (surface 0).
package struct MediaFeature: Feature {
    let store: MediaStore
    let gate: UploadGate
    let variants: VariantMaker
    let presenter: MediaPresenter
    let identifiers: Identifiers
    let cursors: Cursors
    let archives: SelectedArchives
    private let serveArchive: ServeArchive
    private let createArchive: CreateArchive
    private let counters: [RowCounter]
    private let conversion: FilmConversion
    private let converter: FilmConverter
    private let convertsFilms: Bool
    private let quota: StagingQuota
    private let limits: GeneralUploadLimits
    /// Serves files, also for routes of other features.
    package let files: LibraryFiles
    private let logger: Logger
    private let timeZone: @Sendable (String) async throws -> TimeZone

    /// - Parameters:
    ///   - workers: the processes that make smaller copies.
    ///   - files: copies blobs to local files for the workers.
    ///   - redirects: if files are in an object store, whether clients are redirected to it for pictures, sounds and films.
    ///   - limits: the largest files and requests of general uploads.
    ///   - converter: makes copies of films that browsers can play.
    ///   - accounts: reads the time zones of accounts.
    ///   - features: all features. When a file is deleted, the library drops these features' references to it. It also counts those of
    ///     their rows that earlier versions did not count against the quota.
    package init(
        _ context: FeatureContext, workers: MediaWorkers, files: BlobFiles, redirects: Bool, quota: MediaQuota, limits: GeneralUploadLimits,
        converter: FilmConverter, accounts: AccountsFeature, features: [any Feature.Type]
    ) {
        convertsFilms = context.settings[Self.filmMinutes] > 0
        store = MediaStore(
            database: context.database, ledger: context.ledger, clock: context.clock, quota: quota, events: context.events,
            uses: features.flatMap { $0.fileUses }, conversions: convertsFilms ? context.jobs : nil, timeZone: accounts.timeZone(of:_:))
        self.converter = converter
        // A conversion keeps a local copy of its original for minutes. It has a place for one copy of its own, so that pictures do not wait
        // for it.
        conversion = FilmConversion(
            store: store, blobs: context.blobs, files: files.separate(copies: 1), workers: workers, converter: converter)
        gate = context.gate
        let storage = CopyStorage(store: store, blobs: context.blobs, logger: context.logger)
        variants = VariantMaker(store: store, blobs: context.blobs, files: files, workers: workers, storage: storage)
        self.files = LibraryFiles(
            store: store, files: StoredFiles(store: store, blobs: context.blobs, variants: variants, redirects: redirects),
            films: FilmPlayback(store: store, isOn: convertsFilms))
        presenter = MediaPresenter(links: context.links)
        identifiers = context.identifiers
        cursors = context.cursors
        archives = SelectedArchives(database: context.database, clock: context.clock)
        createArchive = CreateArchive(
            archives: archives, presenter: presenter, identifiers: context.identifiers, turns: context.archives)
        serveArchive = ServeArchive(
            archives: archives, blobs: context.blobs, clock: context.clock, turns: context.archives, sessions: accounts)
        // An intruder may have made an archive link, which works without a sign-in. The mail does not mention it, because it would expire
        // within the hour.
        accounts.onRecovery { account, tx in
            try SelectedArchives.endLinks(of: account, tx)
            return nil
        }
        counters = features.flatMap { $0.rowCounters }
        self.quota = StagingQuota(database: context.database, quota: quota, clock: context.clock)
        self.limits = limits
        logger = context.logger
        timeZone = accounts.timeZone(of:)
    }

    /// The checks that every upload passes, whichever feature receives it.
    package static func gate(
        _ database: any Database, blobs: any BlobStore, scanner: (any UploadScanner)?, workers: MediaWorkers, files: BlobFiles,
        quota: MediaQuota, limits: UploadBudget.Limits, identifiers: Identifiers
    ) -> UploadGate {
        let budget = UploadBudget(
            quota: StagingQuota(database: database, quota: quota, clock: identifiers.clock), identifiers: identifiers, limits: limits)
        return UploadGate(store: blobs, scanner: scanner, examiner: MediaExaminer(workers), budget: budget, files: files)
    }

    /// The interface for other features.
    package var library: MediaLibrary {
        MediaLibrary(store: store, presenter: presenter, identifiers: identifiers, limits: limits)
    }

    /// 0 switches conversions off.
    package static let filmMinutes = FeatureSetting(
        "film_minutes", default: 30, in: 0...240,
        help: "Time limit for converting a film that browsers cannot play, in minutes, 0 to 240; 0 converts none")
    package static var settings: [any FeatureSettingReader] { [filmMinutes] }

    package static var migrations: [Migration] { MediaMigrations.all }
    package static let openAPI = PackageResources.openapi_yaml

    package func addRoutes(to routes: Routes) {
        routes.serve(
            upload: MediaEndpoints.upload,
            UploadMedia(
                store: store, rules: limits.applied(to: MediaRules.generalUpload), gate: gate, presenter: presenter,
                identifiers: identifiers
            ).handle)
        routes.serve(
            upload: MediaEndpoints.profilePicture,
            UploadProfilePicture(store: store, gate: gate, presenter: presenter, identifiers: identifiers).handle)
        routes.serve(MediaEndpoints.list, ListMedia(store: store, presenter: presenter, cursors: cursors, timeZone: timeZone).handle)
        routes.serve(MediaEndpoints.get, ReadMedia(store: store, presenter: presenter).handle)
        let update = UpdateMedia(store: store, presenter: presenter)
        routes.serve(MediaEndpoints.update, before: update.check, update.handle)
        routes.serve(MediaEndpoints.delete, DeleteMedia(store: store).handle)
        routes.serve(MediaEndpoints.waveform, ReadWaveform(store: store).handle)
        routes.serve(MediaEndpoints.createArchive, createArchive.handle)
        routes.serve(download: MediaEndpoints.archive, serveArchive.handle)
        routes.serve(file: MediaEndpoints.file, ServeFile(files: files).handle)
        routes.serve(file: MediaEndpoints.sharedFile, ServeSharedFile(store: store, files: files.files).handle)
    }

    package var entryKinds: [EntryKind] { [store.entryKind(presenter)] }

    package static var rowCounters: [RowCounter] { [MediaStore.rowCounter] }
    package static var surfaces: [PathSurface] { [PathSurface("/api", .multimedia)] }

    package var services: [any Service] {
        [
            variants.storage,
            Upkeep("media index", every: .minutes(10), logger: logger) { [store] in try await store.indexOlderRows() },
            Upkeep("tags", every: .minutes(10), logger: logger) { [store] in try await store.completeTags() },
            Upkeep("archives", every: .minutes(10), logger: logger) { [archives] in try await archives.sweep() },
            Upkeep("upload reservations", every: .minutes(1), logger: logger) { [quota] in try await quota.sweep() },
            Upkeep("film conversions", every: .minutes(10), logger: logger) { [store] in try await store.resumeConversions() },
            Upkeep("row bytes", every: .minutes(10), logger: logger) { [store, counters] in try await store.countOlderRows(counters) },
        ]
    }

    package var heavyJobs: [JobHandler] {
        convertsFilms ? [JobHandler(ConvertFilm.self, whenParked: conversion.whenParked, conversion.run)] : []
    }

    package var examinations: [Examination] {
        [
            Examination(name: "films") { [convertsFilms, converter] in
                guard convertsFilms else { return "off: films that browsers do not play are not converted (KEEPSAKE_FILM_MINUTES=0)" }
                return try await converter.probe()
            }
        ]
    }

    /// The columns that refer to blobs, for `keepsake verify`.
    package static var blobReferences: [BlobReferences] {
        [
            // The ids of `media` begin with the time at which they were made.
            BlobReferences(table: "media", column: "blob", newestBy: "id"), BlobReferences(table: "media_variant", column: "blob"),
        ]
    }
}
