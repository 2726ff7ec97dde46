/// This attempt no longer has the job: another worker has taken it over, or it was done, parked or removed meanwhile. Nothing of the
/// effect stays. A handler lets it through; there is nothing left for it to do.
package struct LeaseLost: Error, Sendable, Equatable, CustomStringConvertible {
    package let description = "the job's lease was lost"

    package init() {}
}
