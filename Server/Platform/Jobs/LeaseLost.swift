/// This attempt no longer holds the job: another worker took it over, or it was done, parked or removed meanwhile. The effect is rolled
/// back. A handler should rethrow this error; it has nothing left to do.
package struct LeaseLost: Error, Sendable, Equatable, CustomStringConvertible {
    package let description = "the job's lease was lost"

    package init() {}
}
