/// What every byte of every surface passes on its way in: where it is staged, who looks for viruses in it, and who says what it is.
package struct UploadGate: Sendable {
    package let store: any BlobStore
    /// `nil` where nothing is scanned.
    package let scanner: (any UploadScanner)?
    /// `nil` where the outside of a file is believed.
    package let examiner: (any UploadExaminer)?
    /// `nil` where accounts have no quota.
    package let budget: UploadBudget?

    package init(
        store: any BlobStore, scanner: (any UploadScanner)? = nil, examiner: (any UploadExaminer)? = nil, budget: UploadBudget? = nil
    ) {
        self.store = store
        self.scanner = scanner
        self.examiner = examiner
        self.budget = budget
    }
}
