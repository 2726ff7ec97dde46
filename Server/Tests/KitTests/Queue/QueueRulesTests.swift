import Foundation
import Testing

@testable import KeepsakeKit

/// What the queue does with an entry after each failure.
@Suite("KeepsakeKit's offline queue: rules")
struct QueueRulesTests {
    private func verdict(
        _ status: Int?, _ code: KeepsakeError.Code = .init(rawValue: "code"), isFromServer: Bool = true, retryAfter: Duration? = nil,
        attempts: Int = 1, wasSent: Bool = false, age: TimeInterval = 0
    ) -> QueueRules.Verdict {
        let error = KeepsakeError(code, "m", status: status, requestID: isFromServer ? "r" : nil, retryAfter: retryAfter)
        return QueueRules.verdict(error, attempts: attempts, wasSent: wasSent, age: age)
    }

    @Test("a refusal parks, a fault waits, a missing session waits for a sign-in")
    func statuses() {
        for status in [400, 403, 404, 405, 413, 415, 422, 501] { #expect(verdict(status) == .park, "\(status)") }
        for status in [408, 425, 429, 500, 502, 503, 504, 507] { #expect(verdict(status) == .wait, "\(status)") }
        for code in [KeepsakeError.Code.network, .timeout, .storeUnavailable, .cancelled] {
            #expect(verdict(nil, code) == .wait, "\(code)")
        }
        for code in [KeepsakeError.Code.signedOut, .sessionChanged] { #expect(verdict(nil, code) == .needsSignIn, "\(code)") }
        #expect(verdict(401) == .needsSignIn)
        #expect(verdict(nil, .invalidRequest) == .park)
    }

    @Test("409 waits only while another attempt is in progress, and 410 only ends an entry that was sent before")
    func conflicts() {
        #expect(verdict(409, retryAfter: .seconds(1)) == .wait)
        #expect(verdict(409) == .park)
        #expect(verdict(410, wasSent: true) == .isGone)
        #expect(verdict(410) == .park)
    }

    @Test("a refusal of something between parks only after five attempts, and a fault of the server after a day")
    func foreign() {
        #expect(verdict(401, isFromServer: false, attempts: 100, age: 90_000) == .wait)
        #expect(verdict(403, isFromServer: false) == .wait)
        #expect(verdict(403, isFromServer: false, attempts: 5) == .park)
        #expect(verdict(200, .invalidResponse, isFromServer: false, attempts: 5) == .wait)
        #expect(verdict(500, attempts: 100, age: 86_000) == .wait)
        #expect(verdict(500, attempts: 19, age: 90_000) == .wait)
        #expect(verdict(500, attempts: 20, age: 86_400) == .park)
        // On the socket of captures, `failed_to_save` is what a 500 is over HTTP. Without a network, no entry is ever parked.
        #expect(verdict(nil, .failedToSave, attempts: 19, age: 90_000) == .wait)
        #expect(verdict(nil, .failedToSave, attempts: 20, age: 86_400) == .park)
        #expect(verdict(nil, .network, attempts: 1_000, age: 864_000) == .wait)
    }
}
