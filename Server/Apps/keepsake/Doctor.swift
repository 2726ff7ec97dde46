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
            try settings.requireDataFolder()
            print("ok      settings: \(settings.environment.rawValue), data in \(settings.dataFolder)")
            for variable in MisspeltVariable.all(in: ProcessInfo.processInfo.environment) { print("warning settings: \(variable)") }
            for warning in settings.warnings { print("warning settings: \(warning)") }
            let backend = try await Backend.open(
                settings, mode: .firstTool, logger: Logger(label: "keepsake") { _ in SwiftLogNoOpLogHandler() })
            if backend.isNew { print("new     data: \(Token.created(settings))") }
            var failed = false
            for examination in backend.examinations {
                do {
                    print("ok      \(examination.name): \(try await examination.run())")
                } catch let warning as Examination.Warning {
                    print("warning \(examination.name): \(warning)")
                } catch {
                    failed = true
                    print("FAILED  \(examination.name): \(error)")
                }
            }
            try await backend.close()
            if failed { throw Exit.unavailable }
        }
    }
}
