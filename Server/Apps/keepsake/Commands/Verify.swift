import ArgumentParser
import Blobs
import Core
import Foundation

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Read every stored file and compare it with its row: size and hash. Works while the server runs.")

    @OptionGroup var options: ToolOptions

    func run() async throws {
        try await Exit.reporting {
            let settings = try await Settings.read(options)
            try settings.requireInstallation()
            let backend = try await Backend.open(settings, mode: .tool, logger: .silent)
            let bar = ProgressBar()
            let report: BlobAudit.Report
            do {
                report = try await backend.audit.run { done, total in bar.show(done, of: total) }
            } catch {
                throw settings.explainingRefusal(error)
            }
            bar.finish()
            try await backend.close()
            var refused: BlobKey?
            var isUnanswered = false
            for problem in report.problems {
                if case .forbidden(let key) = problem { refused = key }
                if case .unanswered = problem { isUnanswered = true }
                print("\(problem.isUnchecked ? "not checked" : "damaged"): \(problem)")
            }
            print(
                """
                \(Output.count(report.blobCount, "blob")), \(SizeText.rounded(report.byteCount)) checked; \
                \(Output.count(report.problemCount, "problem")); \(Output.count(report.orphanCount, "file")) without a row
                """)
            let isDamaged = report.problemCount > report.uncheckedCount
            if let refused, let refusal = settings.refusal(of: refused) {
                guard isDamaged else { throw refusal }
                Exit.note(refusal.message)
            }
            if isUnanswered { Exit.note("the object store did not send some files; run the command again when keepsake doctor reaches it") }
            if isDamaged { throw Exit.fault }
            if report.uncheckedCount > 0 { throw Exit.unavailable }
        }
    }
}
