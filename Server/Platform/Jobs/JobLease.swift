/// The right to do a job, until it expires: good only while the row's attempt is still this one.
package struct JobLease: Sendable, Hashable {
    package let id: String
    package let attempt: Int

    package init(id: String, attempt: Int) {
        self.id = id
        self.attempt = attempt
    }
}
