import Core
import Outbound
import Testing

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private let start = Timestamp(seconds: 1_700_000_000)

    @Test("after five failures in a row it refuses calls, then lets one call try, and waits longer each time that one fails")
    func opens() {
        var breaker = CircuitBreaker()
        var now = start
        for _ in 0..<5 {
            #expect(breaker.admit(at: now) == nil)
            breaker.report(.failed, of: breaker.trial, at: now)
        }
        #expect(breaker.admit(at: now) == .seconds(10))
        now = now + .seconds(10)
        #expect(breaker.admit(at: now) == nil)
        // While that call runs, others wait.
        #expect(breaker.admit(at: now) != nil)
        breaker.report(.failed, of: breaker.trial, at: now)
        #expect(breaker.admit(at: now) == .seconds(20))
        now = now + .seconds(20)
        #expect(breaker.admit(at: now) == nil)
        breaker.report(.succeeded, of: breaker.trial, at: now)
        #expect(breaker.admit(at: now) == nil && breaker.admit(at: now) == nil)
    }

    @Test("calls that were running when it opened and fail afterwards do not keep it open longer")
    func parallelFailures() {
        var breaker = CircuitBreaker()
        for _ in 0..<16 { #expect(breaker.admit(at: start) == nil) }
        for _ in 0..<16 { breaker.report(.failed, of: breaker.trial, at: start) }
        #expect(breaker.admit(at: start) == .seconds(10))
        #expect(breaker.admit(at: start + .seconds(10)) == nil)
    }

    @Test("a refused request is no failure of the provider, and a success forgets earlier failures")
    func forgets() {
        var breaker = CircuitBreaker()
        for outcome in [CircuitBreaker.Outcome.failed, .failed, .failed, .failed, .refused, .failed, .failed, .failed, .failed] {
            #expect(breaker.admit(at: start) == nil)
            breaker.report(outcome, of: breaker.trial, at: start)
        }
        #expect(breaker.admit(at: start) == nil)
    }

    @Test("it obeys Retry-After, for at most five minutes, also when the clock is set back")
    func busy() {
        var breaker = CircuitBreaker()
        breaker.report(.busy(.seconds(30)), of: breaker.trial, at: start)
        #expect(breaker.admit(at: start + .seconds(29)) == .seconds(1))
        #expect(breaker.admit(at: start + .seconds(30)) == nil)
        breaker.report(.busy(.seconds(9_999)), of: breaker.trial, at: start)
        #expect(breaker.admit(at: start) == .seconds(300))
        #expect(breaker.admit(at: start - .seconds(3_600)) == nil)
    }

    @Test("a trial call that ends without an outcome lets the next one try")
    func abandoned() {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.report(.failed, of: breaker.trial, at: start) }
        let later = start + .seconds(60)
        #expect(breaker.admit(at: later) == nil)
        breaker.abandon(breaker.trial)
        #expect(breaker.admit(at: later) == nil)
    }

    @Test("a call from before the pause that ends or fails during the trial does not end the trial, and does not count")
    func lateEnd() {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.report(.failed, of: nil, at: start) }
        let later = start + .seconds(10)
        #expect(breaker.admit(at: later) == nil)
        let trial = breaker.trial
        breaker.abandon(nil)
        #expect(breaker.wait(at: later) != nil)
        for outcome in [CircuitBreaker.Outcome.failed, .tookLong(by: "eve")] { breaker.report(outcome, of: nil, at: later) }
        #expect(breaker.wait(at: later) != nil)
        breaker.abandon(trial)
        #expect(breaker.wait(at: later) == nil)
        #expect(breaker.admit(at: later) == nil && breaker.trial != trial)
        // The first call is no longer the trial, so its end changes nothing.
        breaker.abandon(trial)
        #expect(breaker.wait(at: later) != nil)
        breaker.report(.succeeded, of: nil, at: later)
        #expect(breaker.wait(at: later) == nil)
    }

    @Test("calls of one account that take too long do not stop the calls of others; those of five accounts do")
    func slow() {
        var breaker = CircuitBreaker()
        for _ in 0..<20 { breaker.report(.tookLong(by: "eve"), of: breaker.trial, at: start) }
        #expect(breaker.wait(at: start) == nil)
        for account in ["ada", "bob", "cy"] { breaker.report(.tookLong(by: account), of: breaker.trial, at: start) }
        #expect(breaker.wait(at: start) == nil)
        breaker.report(.tookLong(by: "dan"), of: breaker.trial, at: start)
        #expect(breaker.wait(at: start) == .seconds(10))
        let later = start + .seconds(10)
        let trial = breaker.admit(at: later, by: "fay")
        breaker.report(.tookLong(by: "fay"), of: breaker.trial, at: later)
        #expect(trial == nil && breaker.wait(at: later) == .seconds(20))
        breaker.report(.succeeded, of: breaker.trial, at: later + .seconds(20))
        for _ in 0..<20 { breaker.report(.tookLong(by: "eve"), of: breaker.trial, at: later) }
        #expect(breaker.wait(at: later) == nil)
        // Calls of the server itself belong to no account, so each of them counts.
        for _ in 0..<5 { breaker.report(.tookLong(by: nil), of: breaker.trial, at: later) }
        #expect(breaker.wait(at: later) == .seconds(10))
    }

    @Test("five accounts whose requests fail cannot refuse the calls of others for longer, or again")
    func failingAccounts() {
        var breaker = CircuitBreaker()
        let accounts = ["eve", "mal", "max", "ned", "sue"]
        for account in accounts { breaker.report(.erred(by: account), of: breaker.trial, at: start) }
        // The accounts cannot be the next trial; others can.
        var now = start + .seconds(10)
        #expect(breaker.wait(at: now, by: "eve") == .seconds(10) && breaker.wait(at: now, by: "ada") == nil)
        // If nobody else calls, they can after the pause, but their failure does not prolong it.
        now = now + .seconds(10)
        let trial = breaker.admit(at: now, by: "eve")
        breaker.report(.erred(by: "eve"), of: breaker.trial, at: now)
        #expect(trial == nil && breaker.wait(at: now, by: "ada") == .seconds(10))
        // When the provider answers somebody else, it was their requests that failed.
        now = now + .seconds(10)
        let other = breaker.admit(at: now, by: "ada")
        breaker.report(.succeeded, of: breaker.trial, at: now)
        for account in accounts { breaker.report(.erred(by: account), of: breaker.trial, at: now) }
        #expect(other == nil && breaker.wait(at: now, by: "ada") == nil)
        now = now + .seconds(3_600)
        for account in accounts { breaker.report(.erred(by: account), of: breaker.trial, at: now) }
        #expect(breaker.wait(at: now) == .seconds(10))
    }

    @Test("errors of one account's calls do not stop the calls of others; those of five accounts do, also together with slow calls")
    func erred() {
        var breaker = CircuitBreaker()
        for _ in 0..<20 { breaker.report(.erred(by: "eve"), of: breaker.trial, at: start) }
        for account in ["ada", "bob", "cy"] { breaker.report(.tookLong(by: account), of: breaker.trial, at: start) }
        #expect(breaker.wait(at: start) == nil)
        breaker.report(.erred(by: "dan"), of: breaker.trial, at: start)
        #expect(breaker.wait(at: start) == .seconds(10))
    }

    @Test("a trial call ends when the provider begins to answer, and one more failure refuses calls again")
    func began() {
        var breaker = CircuitBreaker()
        for _ in 0..<5 { breaker.report(.failed, of: breaker.trial, at: start) }
        let later = start + .seconds(10)
        let trial = breaker.admit(at: later)
        #expect(trial == nil && breaker.wait(at: later) != nil)
        breaker.began()
        let (second, third) = (breaker.admit(at: later), breaker.admit(at: later))
        #expect(second == nil && third == nil)
        breaker.report(.failed, of: breaker.trial, at: later)
        #expect(breaker.wait(at: later) == .seconds(20))
    }
}
