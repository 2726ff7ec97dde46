import ArgumentParser
import Blobs
import Core
import Foundation
import Logging

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read every stored file and compare it with its row: size and hash. Works while the server runs.")

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: Logger(label: "keepsake") { _ in SwiftLogNoOpLogHandler() })
            let bar = ProgressBar()
            let report = try await backend.audit.run { done, total in bar.show(done, of: total) }
            bar.finish()
            try await backend.close()
            for problem in report.problems { print("damaged: \(problem)") }
            print(
                """
                \(Output.count(report.blobCount, "blob")), \(SizeText.rounded(report.byteCount)) checked; \
                \(Output.count(report.problemCount, "problem")); \(Output.count(report.orphanCount, "file")) without a row
                """)
            if !report.problems.isEmpty { throw Exit.fault }
        }
    }
}
