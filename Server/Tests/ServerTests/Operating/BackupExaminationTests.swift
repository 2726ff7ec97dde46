import Core
import FeatureKit
import TestKit
import TestThreads
import Testing
import Transfer

@testable import FeatureTestKit
@testable import keepsake

@Suite("What doctor says about backups", .blocksThreads)
struct BackupExaminationTests {
    @Test(
        "it warns if no backup was made, or none in the last seven days, and else says when the last one was made",
        arguments: Engine.allCases)
    func age(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let examination = try #require(server.backend.examinations.first { $0.name == "backup" })
            let never = await #expect(throws: Examination.Warning.self) { try await examination.run() }
            #expect(never?.description.hasPrefix("none was made") == true)
            let folder = try TemporaryFolder()
            let repository = BackupRepository(try await BackupFolder.open(folder.path + "/backups"), clock: server.clock.wall)
            _ = try await server.backend.backup(to: repository).run()
            #expect(try await examination.run() == "the last one was made at 2026-06-01T12:00:00Z, less than a day ago")
            server.clock.advance(by: .days(1))
            #expect(try await examination.run().hasSuffix(", 1 day ago"))
            server.clock.advance(by: .days(6))
            #expect(try await examination.run().hasSuffix(", 7 days ago"))
            server.clock.advance(by: .seconds(1))
            let old = await #expect(throws: Examination.Warning.self) { try await examination.run() }
            #expect(old?.description == "the last one was made at 2026-06-01T12:00:00Z, 7 days ago; run keepsake backup")
            withExtendedLifetime(folder) {}
        }
    }
}
