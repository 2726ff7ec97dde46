import Blobs

/// The check `files` of `keepsake doctor`: whether a sample of the files exists. Only `keepsake verify` reads all of them.
struct FileExamination {
    /// The sample consists of this many of the newest files, and as many random ones.
    let count: Int

    /// - Parameter isRemote: whether looking up a file takes a request to an object store.
    init(isRemote: Bool) { count = isRemote ? 20 : 100 }

    /// - Throws: `Settings.Wrong` if a file is missing, has another size or cannot be opened; `BlobError.forbidden` if this user may not
    ///   read it.
    func run(_ audit: BlobAudit) async throws -> String { try await Self.result(of: audit.sample(count: count)) }

    static func result(of sample: BlobAudit.Sample) throws -> String {
        let files = Output.count(sample.fileCount, "file")
        // Report this problem first: as long as such a file cannot be read, nobody knows whether it is damaged.
        for case .forbidden(let key) in sample.problems { throw BlobError.forbidden(key) }
        if let problem = sample.problems.first {
            throw Settings.Wrong(
                description: """
                    \(sample.problems.count) of \(files) checked: missing or damaged, such as \(problem); find all of them with \
                    keepsake verify, and restore them from a backup, see docs/operations/backup.md
                    """)
        }
        if sample.isWhole { return sample.fileCount == 0 ? "none is stored yet" : "\(files) checked: none is missing or has a wrong size" }
        return "\(files) checked, the newest and some at random: none is missing or has a wrong size; keepsake verify reads all"
    }
}
