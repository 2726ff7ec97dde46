import Blobs
import Core
import Database
import FeatureKit
import Logging
import S3Blobs

extension Backend {
    /// How many of the newest files of each kind, and how many at random, a server looks up at its start.
    private static let lookedUp = 5
    /// A slow disk delays the start by no more than this.
    private static let lookUpTime = Duration.milliseconds(500)

    /// Logs a warning when all of a few files are missing, although the mark of the installation is there: the disk below it is probably
    /// not mounted. The server starts anyway: uploads work, and only an operator knows whether the files are lost.
    func warnIfFilesAreAbsent() async {
        guard case .file(let folder) = settings.blobs else { return }
        // The audit uses the database itself, because its statements do not belong to requests.
        let audit = BlobAudit(
            database: database, store: blobs, references: Features.types.flatMap { $0.blobReferences }, clock: identifiers.clock)
        guard let sample = try? await audit.sample(count: Self.lookedUp, within: Self.lookUpTime),
            Self.areAllMissing(sample)
        else { return }
        logger.warning(
            "the newest files are missing in the folder of the files; is its disk mounted? If the files are lost, restore a backup",
            metadata: [
                "folder": "\(folder)/blobs", "setting": "\(settings.placeNames.blobs)", "looked_up": .stringConvertible(sample.fileCount),
            ])
    }

    static func areAllMissing(_ sample: BlobAudit.Sample) -> Bool {
        sample.fileCount > 0 && sample.problems.count == sample.fileCount
            && sample.problems.allSatisfy { if case .missing = $0 { true } else { false } }
    }
}
