package import Testing

/// For suites that measure time, memory or processor time, or that change state of the whole process. `make test` runs the other suites
/// in parallel first, and then these suites one test after the other. `scripts/test.sh` finds them by this trait.
package struct RunsAloneTrait: SuiteTrait {
    package var isRecursive: Bool { false }
}

extension Trait where Self == RunsAloneTrait {
    package static var runsAlone: Self { RunsAloneTrait() }
}
