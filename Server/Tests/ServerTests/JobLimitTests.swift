import FeatureKit
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Jobs
@testable import keepsake

@Suite("Limits of long jobs that belong to no account")
struct JobLimitTests {
    @Test("a node erases one account at a time, and the stored responses and the cover of one cove, so places are left for short jobs")
    func kinds() async throws {
        try await TestServer.run(StoragePair.embedded) { server in
            let handlers = server.backend.features.all.flatMap(\.jobs)
            let single = Set(handlers.filter { $0.most == 1 }.map(\.kind))
            #expect(single.isSuperset(of: ["accounts/erase", "coves/forget-answers", "coves/erase-cover"]))
        }
    }
}
