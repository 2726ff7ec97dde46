import Blobs
import Core
import Database
import DatabaseEngines
import S3Blobs
import TestKit
import Testing

@testable import keepsake

@Suite("The lines of doctor and of the log")
struct DoctorTests {
    @Test("an error is a sentence, and not a value of the program")
    func sentences() {
        let settings = Settings()
        let unfinished = "a restore of a backup has not finished; run keepsake restore again"
        #expect(Doctor.line(for: Problem(.unavailable, unfinished), settings) == unfinished)
        let silent = "nothing listens at /run/postgresql; start PostgreSQL there"
        #expect(Doctor.line(for: DatabaseError.unavailable(silent), settings) == "the database is not available: \(silent)")
        let failed = DatabaseError.engine(code: 13, message: "no memory")
        #expect("\(failed)" == "the database failed: no memory (code 13)")
    }

    @Test("a full disk names its folder")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        var settings = Settings()
        settings.dataFolder = folder.path
        settings.blobs = .file(folder: folder.path)
        settings.database = .sqlite(path: folder.path + "/keepsake.sqlite")
        for error in [BlobError.full, DatabaseError.full] as [any Error] {
            let line = Doctor.line(for: error, settings)
            #expect(line.contains(folder.path) && line.contains("full"), "\(line)")
        }
        let path = folder.path
        let error = #expect(throws: Settings.Wrong.self) { try Backend.room(in: path, free: 1_048_576) }
        #expect(error?.description == "the disk of \(path) has 1 MB free, and should have more than 1024 MB; free some space")
        #expect(try Backend.room(in: path, free: 2_147_483_648) == "2048 MB free")
        withExtendedLifetime(folder) {}
    }
}
