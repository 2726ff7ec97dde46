import Core
import TestKit
import Testing

@testable import Web

@Suite("Rates of calls to outside engines")
struct OutsideCallRateTests {
    @Test("an account has its own rate, and all accounts of a network together have four times that; a job counts for no network")
    func rates() async throws {
        let clock = TestClock()
        var limits = RateLimits()
        limits.outside = Rate(perMinute: 60, burst: 2)
        let limiter = RateLimiter.local(limits, clock: clock.wall)
        let (one, two) = (Network(ipv4: 1), Network(ipv4: 2))
        for account in ["a0", "a1", "a2", "a3"] {
            for _ in 0..<2 {
                let wait = try await limiter.takeOutsideCall(account: account, network: one)
                #expect(wait == nil)
            }
        }
        let ofAccount = try await limiter.takeOutsideCall(account: "a0", network: two)
        #expect(ofAccount == .seconds(1))
        let ofNetwork = try await limiter.takeOutsideCall(account: "a4", network: one)
        #expect(ofNetwork == .milliseconds(250))
        let ofOther = try await limiter.takeOutsideCall(account: "b", network: two)
        #expect(ofOther == nil)
        let ofJob = try await limiter.takeOutsideCall(account: "a5", network: nil)
        #expect(ofJob == nil)
        clock.advance(by: .seconds(1))
        let later = try await limiter.takeOutsideCall(account: "a0", network: one)
        #expect(later == nil)
    }
}
