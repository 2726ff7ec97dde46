import Core
import Testing

@testable import Accounts

@Suite struct KeyRingTests {
    private let start = Timestamp(seconds: 1_000_000)

    private func key(_ kid: String, from offset: Duration) -> SigningKey {
        SigningKey(kid: kid, privateKey: Secret([]), createdAt: start, signsFrom: start + offset)
    }

    @Test func `an empty ring needs a key that signs at once`() {
        let ring = KeyRing([])
        #expect(ring.isDue(at: start))
        #expect(ring.nextSignsFrom(at: start) == start)
        #expect(ring.signer(at: start) == nil)
        #expect(ring.accepted(at: start).isEmpty)
    }

    @Test func `after 30 days there is to be another, which is known for an hour before it signs`() {
        let ring = KeyRing([key("a", from: .zero)])
        #expect(!ring.isDue(at: start + .days(30) - .microseconds(1)))
        #expect(ring.isDue(at: start + .days(30)))
        #expect(ring.nextSignsFrom(at: start + .days(30)) == start + .days(30) + .hours(1))
        let next = KeyRing(ring.keys + [key("b", from: .days(30) + .hours(1))])
        #expect(!next.isDue(at: start + .days(30)))
        #expect(next.signer(at: start + .days(30) + .minutes(59))?.kid == "a")
        #expect(next.accepted(at: start + .days(30)).map(\.kid) == ["a", "b"])
        #expect(next.signer(at: start + .days(30) + .hours(1))?.kid == "b")
    }

    @Test func `a key is accepted until its last token is over and the grace has passed`() {
        let ring = KeyRing([key("b", from: .days(31)), key("a", from: .zero)])
        let end = start + .days(31) + .hours(1) + KeyRing.grace
        #expect(ring.key("a", at: end - .microseconds(1))?.kid == "a")
        #expect(ring.retired(at: end - .microseconds(1)).isEmpty)
        #expect(ring.key("a", at: end) == nil)
        #expect(ring.retired(at: end).map(\.kid) == ["a"])
        #expect(ring.accepted(at: end).map(\.kid) == ["b"])
    }

    @Test func `the newest key stays, however old it is`() {
        let ring = KeyRing([key("a", from: .zero)])
        #expect(ring.key("a", at: start + .days(1_000)) != nil)
        #expect(ring.signer(at: start + .days(1_000))?.kid == "a")
    }

    @Test func `a clock set back before the first key still signs`() {
        let ring = KeyRing([key("b", from: .days(31)), key("a", from: .zero)])
        #expect(ring.signer(at: start - .days(1))?.kid == "a")
        #expect(!ring.isDue(at: start - .days(1)))
    }
}
