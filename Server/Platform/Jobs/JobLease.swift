/// The right to run a job until it expires; valid only while the row has this attempt number.
package struct JobLease: Sendable, Hashable {
    package let id: String
    package let attempt: Int

    package init(id: String, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}
