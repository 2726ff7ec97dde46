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

/// The steps of `Backend.open` that come before or beside the parts that it connects.
extension Backend {
    /// Checks for the programs and libraries that a server needs. Logs a warning for those that it can do without.
    /// - Throws: `.unavailable` with what is missing.
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

    /// Opens the database, and checks that it is this installation's and that no restore or copy into it is unfinished.
    /// - Returns: also whether it was empty.
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

    /// What a server does as soon as the tables are there, before anything else writes to them.
    static func beginServing(
        _ settings: Settings, _ database: any Database, _ identifiers: Identifiers, isNew: Bool, logger: Logger
    ) async throws {
        if isNew { logger.notice("a new installation was created", metadata: settings.place) }
        try await TransferState(database: database, clock: identifiers.clock).beginServing()
        try await settings.markFiles(database, identifiers, logger: logger)
        if case .sqlite = settings.database { try await NodeStore(database: database, clock: identifiers.clock).clear() }
    }

    /// One runner for each of the features' lists of jobs, so that the jobs of one list never wait for those of another.
    /// - Parameters:
    ///   - explainFull: see `JobRunner.Options`.
    ///   - runner: creates a runner for the handlers of one list.
    static func jobRunners(
        of features: [any Feature], explainFull: @escaping @Sendable () -> String,
        _ runner: ([JobHandler], JobRunner.Options) -> JobRunner
    ) -> [JobRunner] {
        var usual = JobRunner.Options()
        usual.explainFull = explainFull
        var long = usual
        // Each long job may keep a core busy for minutes.
        long.concurrency = CapsulesFeature.transcriptionCount
        var patient = usual
        // A job that waits keeps no thread and no connection to the database. The same holds for mails.
        patient.concurrency = 8
        var heavy = usual
        heavy.concurrency = 1
        // Such a job takes longer than any stop may wait, so it starts again afterwards.
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
