package import Testing

/// For suites that measure time, memory or processor time, or that change what the whole process shares. `make test` runs the other
/// suites side by side, and then these, one test after the other: `scripts/test.sh` finds them by this trait.
package struct RunsAloneTrait: SuiteTrait {
    package var isRecursive: Bool { false }
}

extension Trait where Self == RunsAloneTrait {
    package static var runsAlone: Self { RunsAloneTrait() }
}
