import ArgumentParser
import Core
import FeatureKit
import Foundation
import Logging

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Test everything that the server needs.")

    @OptionGroup var options: Options

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            let logger = Logger.silent
            print("ok      settings: \(settings.environment.rawValue), data in \(settings.dataFolder)")
            for variable in MisspeltVariable.all(in: ProcessInfo.processInfo.environment) { print("warning settings: \(variable)") }
            for warning in settings.warnings { print("warning settings: \(settings.naming(warning))") }
            let backend: Backend
            do {
                try settings.requireDataFolder()
                backend = try await Backend.open(settings, mode: .firstTool, logger: logger)
            } catch {
                print("FAILED  installation: \(Exit.explain(error).0)")
                _ = await examine(Backend.otherExaminations(settings, clock: .system, logger: logger), settings)
                print("skipped all other checks, because they need the installation")
                // Throw the original error, because its kind decides the exit code.
                throw error
            }
            if backend.isNew { print("new     data: \(Token.created(settings))") }
            let failed = await examine(backend.examinations, settings)
            try await backend.close()
            if failed { throw Exit.unavailable }
        }
    }

    /// Runs all examinations and prints the result of each, even if one has failed.
    /// - Parameter settings: the settings. They replace the names of settings in the results by the names that the operator used.
    /// - Returns: whether an examination failed.
    private func examine(_ examinations: [Examination], _ settings: Settings) async -> Bool {
        var failed = false
        for examination in examinations {
            do {
                let result = try await examination.run()
                print("ok      \(examination.name): \(settings.naming(result))")
            } catch let warning as Examination.Warning {
                print("warning \(examination.name): \(settings.naming("\(warning)"))")
            } catch {
                failed = true
                print("FAILED  \(examination.name): \(Self.line(for: error, settings))")
            }
        }
        return failed
    }

    /// Why a check failed, as a sentence. If the disk of a folder is full, or this user may not use a folder, it names the folder.
    static func line(for error: any Error, _ settings: Settings) -> String {
        settings.naming("\(settings.explainingFull(settings.explainingRefusal(error)))")
    }
}
