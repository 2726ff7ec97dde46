import TestKit

/// Prints what committing together is worth on the disk it is started on: `make bench`.
@main
struct Main {
    static func main() async throws {
        print(try await GroupCommitMeasurement.run(in: ".", rounds: 9))
    }
}
