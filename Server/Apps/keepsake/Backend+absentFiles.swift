import Blobs
import Core
import Database
import FeatureKit
import Logging
import S3Blobs

extension Backend {
    /// A server looks up this many of the newest files of each kind at its start, and as many random ones.
    private static let lookedUp = 5
    /// The longest time by which a slow disk delays the start.
    private static let lookUpTime = Duration.milliseconds(500)

    /// Logs a warning when all files of a sample are missing, although the folder has the mark of the installation: probably a disk below
    /// the folder is not mounted. The server starts anyway, because uploads work, and only an operator knows whether the files are lost.
    func warnIfFilesAreAbsent() async {
        guard case .file(let folder) = settings.blobs else { return }
        // The audit uses the unwrapped database, because its statements do not belong to requests.
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
