import Blobs
import Core
import Database
import FeatureKit
import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("The check of doctor that looks up files")
struct FileExaminationTests {
    @Test("doctor fails when a file is missing, and names its key and what to do", arguments: Engine.allCases)
    func missing(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let backend = server.backend
            let check = try #require(backend.examinations.first { $0.name == "files" })
            #expect(try await check.run() == "none is stored yet")
            let ada = try await server.person()
            #expect(try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: ada).status == 200)
            #expect(try await check.run().hasSuffix(" checked: none is missing or has a wrong size"))
            let entries = try await backend.database.read { tx in
                try tx.list(BlobLedger.live(after: "", count: 1), BlobLedger.Entry.init)
            }
            let key = try #require(entries.first?.key)
            try await backend.blobs.delete(key)
            let error = await #expect(throws: Settings.Wrong.self) { try await check.run() }
            let line = error?.description ?? ""
            #expect(line.hasPrefix("1 of ") && line.contains(", such as \(key): its bytes are missing; "), "\(line)")
        }
    }

    @Test("the result says whether all files were checked")
    func results() throws {
        let key = BlobKey(entropy: .system)
        let all = try FileExamination.result(of: BlobAudit.Sample(fileCount: 3, isWhole: true))
        #expect(all == "3 files checked: none is missing or has a wrong size")
        let some = try FileExamination.result(of: BlobAudit.Sample(fileCount: 200))
        #expect(some == "200 files checked, the newest and some at random: none is missing or has a wrong size; keepsake verify reads all")
        // A file that the server may not read is not damaged, so the error must not recommend restoring a backup.
        #expect(throws: BlobError.forbidden(key)) {
            try FileExamination.result(of: BlobAudit.Sample(fileCount: 2, problems: [.missing(key), .forbidden(key)]))
        }
        let lost = BlobAudit.Sample(fileCount: 200, problems: [.missing(key), .wrongByteCount(key, expected: 1, found: 2)])
        let error = #expect(throws: Settings.Wrong.self) { try FileExamination.result(of: lost) }
        #expect(
            error?.description == """
                2 of 200 files checked: missing or damaged, such as \(key): its bytes are missing; find all of them with keepsake \
                verify, and restore them from a backup, see docs/operations/backup.md
                """)
    }

    @Test("the newest files are found by an index", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await TestServer.run(engine, tables: TestServer.newTables) { server in
            let statements = Features.types.flatMap { $0.blobReferences }.compactMap { $0.newest(count: 100) }
            #expect(!statements.isEmpty)
            for statement in statements {
                let plan = try await QueryPlan(statement, on: server.backend.database)
                #expect(plan.faults(mayWalk: true).isEmpty, "\(plan)")
            }
        }
    }
}
