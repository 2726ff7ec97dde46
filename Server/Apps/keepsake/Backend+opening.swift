import Capsules
import Core
import Database
import DatabaseEngines
import FeatureKit
import Foundation
import Jobs
import Logging
import MediaTools
import Nodes
import Phone
import Transfer

/// The steps of `Backend.open` that come before it connects the parts, and those that are independent of the parts.
extension Backend {
    /// Checks for the programs and libraries that a server needs. If an optional one is missing, it logs a warning.
    /// - Throws: `.unavailable`, which says what is missing.
    static func requirePrograms(_ settings: Settings, logger: Logger) throws {
        for program in [settings.mediaWorker.program, settings.mediaWorker.ffmpeg, settings.mediaWorker.ffprobe]
        where !FileManager.default.isExecutableFile(atPath: program) {
            throw Problem(.unavailable, "\(program) is missing; the server needs it to read pictures, films and sounds")
        }
        if !FileManager.default.isReadableFile(atPath: PhoneNumber.libraryPath) {
            throw Problem(.unavailable, "\(PhoneNumber.libraryPath) is missing; the server needs it to read phone numbers")
        }
        if case .pocketsphinx? = settings.transcriber?.engine, let program = settings.transcriber?.program,
            !FileManager.default.isExecutableFile(atPath: program)
        {
            throw Problem(.unavailable, "\(program) is missing; install the packages pocketsphinx and pocketsphinx-en-us")
        }
        if !FileManager.default.isExecutableFile(atPath: settings.analyzer.tesseract) {
            logger.warning("tesseract is missing; the text in pictures is not read. Install tesseract-ocr and tesseract-ocr-eng")
        }
    }

    /// Opens the database. Checks that it belongs to this installation, and that no unfinished restore or copy writes into it.
    /// - Returns: the database, and whether it was empty.
    static func openDatabase(
        _ settings: Settings, _ mode: Mode, clock: WallClock, logger: Logger
    ) async throws -> (database: any Database, isNew: Bool) {
        let database = try await settings.openDatabase(mode, clock: clock, logger: logger)
        do {
            let isNew = try await settings.isNew(database, mayBegin: mode == .serving || mode == .firstTool)
            if !isNew, mode != .restoring { try await TransferState(database: database, clock: clock).requireFinished() }
            try await settings.requireOwnFiles(database, isNew: isNew)
            return (database, isNew)
        } catch {
            try? await database.close()
            throw error
        }
    }

    /// The first writes of a server: it makes them as soon as the tables exist, before anything else writes.
    static func beginServing(
        _ settings: Settings, _ database: any Database, _ identifiers: Identifiers, isNew: Bool, logger: Logger
    ) async throws {
        if isNew { logger.notice("a new installation was created", metadata: settings.place) }
        try await TransferState(database: database, clock: identifiers.clock).beginServing()
        try await settings.markFiles(database, identifiers, logger: logger)
        if case .sqlite = settings.database { try await NodeStore(database: database, clock: identifiers.clock).clear() }
    }

    /// Makes one runner for each list of jobs that features have, so that jobs of one list never wait for jobs of another.
    /// - Parameters:
    ///   - explainFull: `JobRunner.Options` explains it.
    ///   - runner: creates a runner for the handlers of one list.
    static func jobRunners(
        of features: [any Feature], explainFull: @escaping @Sendable () -> String,
        _ runner: ([JobHandler], JobRunner.Options) -> JobRunner
    ) -> [JobRunner] {
        var usual = JobRunner.Options()
        usual.explainFull = explainFull
        var long = usual
        // Few long jobs run at a time, because each may keep a processor core busy for minutes.
        long.concurrency = CapsulesFeature.transcriptionCount
        var patient = usual
        // A job of this list waits most of the time, and holds no thread and no database connection while it waits. The same is true for
        // mails.
        patient.concurrency = 8
        var heavy = usual
        heavy.concurrency = 1
        // A heavy job takes longer than a server may wait when it stops. So it is cancelled at once, and starts again after the next start.
        heavy.grace = .zero
        return [
            runner(features.flatMap(\.jobs), usual),
            runner(features.flatMap(\.longJobs), long),
            runner(features.flatMap(\.patientJobs), patient),
            runner(features.flatMap(\.mailJobs), patient),
            runner(features.flatMap(\.heavyJobs), heavy),
        ]
    }
}
