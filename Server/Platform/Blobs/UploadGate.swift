/// The services that every upload passes through: the store that stages it, the virus scanner, and the examiner.
package struct UploadGate: Sendable {
    package let store: any BlobStore
    /// `nil` when virus scanning is off.
    package let scanner: (any UploadScanner)?
    /// `nil` when the type is taken from the first and last bytes only.
    package let examiner: (any UploadExaminer)?
    /// `nil` when accounts have no quota.
    package let budget: UploadBudget?
    /// Gives the examiner local files. If `nil`, only files of a local store are examined.
    package let files: BlobFiles?

    package init(
        store: any BlobStore, scanner: (any UploadScanner)? = nil, examiner: (any UploadExaminer)? = nil, budget: UploadBudget? = nil,
        files: BlobFiles? = nil
    ) {
        self.files = files
        self.store = store
        self.scanner = scanner
        self.examiner = examiner
        self.budget = budget
    }
}
