import Core
import Synchronization
import TestKit
import Testing

@testable import Outbound

@Suite("Rates and turns of calls to outside engines")
struct CallRatesTests {
    /// Lets Ada make a number of calls, and others as many as they like.
    private final class FewCalls: CallRates {
        private let left: Mutex<Int>

        init(_ count: Int) { left = Mutex(count) }

        func take(account: String, network: Network?) async throws -> Duration? {
            guard account == "ada" else { return nil }
            let isGranted = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isGranted ? nil : .seconds(3)
        }
    }

    private func client(
        _ url: String, slots: FairSemaphore.Limits = ProviderClient.usualSlots, rates: (any CallRates)? = nil
    ) -> ProviderClient {
        let address = ProviderClient.Address(
            engine: "openai", base: url, model: "m-1", keyHeader: "Authorization", key: nil, timeout: .seconds(30))
        return ProviderClient(
            address, outbound: OutboundHTTP(.production), ledger: nil, clock: .system, slots: slots, rates: rates,
            permits: { _ in true })
    }

    private func request(_ owner: String) -> ProviderClient.Request {
        ProviderClient.Request(path: "/v1/models", contentType: "text/plain", body: nil, purpose: "chat", owner: owner)
    }

    @Test("an account above its rate gets no call, and others do; a job waits longer than a request")
    func refused() async throws {
        try await ModelStandIn.run(usual: .says("{}")) { server in
            let provider = client(server.url, rates: FewCalls(1))
            let (adas, eves) = (request("ada"), request("eve"))
            _ = try await provider.post(adas)
            let ofJob = await #expect(throws: ProviderFailure.self) { _ = try await provider.post(adas) }
            #expect(ofJob?.isAway == true && ofJob?.status == nil && ofJob?.after == ProviderClient.jobPause)
            let requester = Requester(account: "ada", network: Network(ipv4: 1))
            let ofRequest = await #expect(throws: ProviderFailure.self) {
                try await requester.run { _ = try await provider.post(adas) }
            }
            #expect(ofRequest?.isAway == true && ofRequest?.after == .seconds(3))
            _ = try await provider.post(eves)
            #expect(server.calls.count == 2)
        }
    }

    @Test("calls of the accounts of one network wait for one another, and those of another network do not wait for them")
    func networks() async throws {
        try await ModelStandIn.run(usual: .hangs) { server in
            let slots = FairSemaphore.Limits(permits: 4, permitsPerKey: 2, permitsPerNetwork: 1, waiting: 8, waitingPerKey: 8)
            let provider = client(server.url, slots: slots)
            func call(_ account: String, _ network: UInt32) -> Task<Void, any Error> {
                let asked = request(account)
                let requester = Requester(account: account, network: Network(ipv4: network))
                return Task { try await requester.run { _ = try await provider.post(asked) } }
            }
            let first = call("ada", 1)
            try await WorkerFixture.eventually { server.calls.count == 1 }
            let second = call("eve", 1)
            try await WorkerFixture.eventually { provider.slots.waitingCount == 1 }
            let third = call("bob", 2)
            try await WorkerFixture.eventually { server.calls.count == 2 }
            #expect(provider.slots.waitingCount == 1)
            for task in [first, second, third] { task.cancel() }
            for task in [first, second, third] { _ = await task.result }
        }
    }
}
