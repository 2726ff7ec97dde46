package import Testing

/// For suites that measure time, memory or processor time, or that change state of the whole process. `make test` runs the other suites
/// in parallel first, and then these suites one test after the other. `scripts/test.sh` finds them by this trait.
package struct RunsAloneTrait: SuiteTrait {
    package var isRecursive: Bool { false }
}

/// For suites that pass beside a few other tests but may fail on a busy machine, for example because of short time limits. `make test`
/// runs these suites after those in parallel and before those that run alone, three tests at a time. `scripts/test.sh` finds them by this
/// trait.
package struct RunsBesideFewTrait: SuiteTrait {
    package var isRecursive: Bool { false }
}

extension Trait where Self == RunsAloneTrait {
    package static var runsAlone: Self { RunsAloneTrait() }
}

extension Trait where Self == RunsBesideFewTrait {
    package static var runsBesideFew: Self { RunsBesideFewTrait() }
}
