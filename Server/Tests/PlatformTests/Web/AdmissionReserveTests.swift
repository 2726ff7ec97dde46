import Core
import HTTPServer
import NIOPosix
import Testing

@testable import Web

@Suite("Requests in progress: what is reserved for networks that use little")
struct AdmissionReserveTests {
    private static func caller(_ network: UInt32, _ credential: Int = 0) -> Admission.Caller {
        Admission.Caller(network: Network(ipv4: network), credentialHash: credential)
    }

    @Test("two networks that take all they can get leave slots for others, and the others get no more than a few of these")
    func reserve() {
        let limits = ChannelLimits()
        let admission = Admission(limits)
        var held: [AdmissionSlot] = []
        for credential in 0..<4 {
            for network in [1, 2] as [UInt32] {
                for _ in 0..<200 {
                    if let slot = AdmissionSlot(admission, Self.caller(network, credential)) { held.append(slot) }
                }
            }
        }
        #expect(held.count == limits.requestsInWork - limits.requestsReserved)
        for _ in 0..<20 {
            if let slot = AdmissionSlot(admission, Self.caller(3)) { held.append(slot) }
        }
        #expect(admission.inWorkCount == limits.requestsInWork - limits.requestsReserved + limits.requestsOfSmallNetwork)
        for slot in held { slot.leave() }
        #expect(admission.inWorkCount == 0)
    }

    @Test("the networks of one IPv6 /48 get no more of the reserve than one network")
    func site() {
        let limits = ChannelLimits()
        let admission = Admission(limits)
        func ask(_ site: UInt64, _ network: UInt64) -> AdmissionSlot? {
            AdmissionSlot(admission, Admission.Caller(network: Network(ipv6: 0x2001_0DB8 << 32 | site << 16 | network)))
        }
        var held: [AdmissionSlot] = []
        for _ in 0..<2 {
            for network in 0..<200 as Range<UInt64> {
                for _ in 0..<4 { if let slot = ask(1, network) { held.append(slot) } }
            }
        }
        // No other site asks, and no network has reached its own limit.
        let open = limits.requestsInWork - limits.requestsReserved
        #expect(held.count == open)
        for network in 0..<20 as Range<UInt64> { if let slot = ask(2, network) { held.append(slot) } }
        #expect(held.count == open + limits.requestsOfSmallNetwork)
        let other = AdmissionSlot(admission, Self.caller(3))
        #expect(other != nil)
        for slot in held { slot.leave() }
        other?.leave()
        #expect(admission.inWorkCount == 0)
        // Requests that have left no longer count.
        let again = (0..<UInt64(open)).compactMap { ask(1, $0) }
        let small = (0..<20 as Range<UInt64>).compactMap { ask(2, $0) }
        #expect(again.count == open && small.count == limits.requestsOfSmallNetwork)
        for slot in again + small { slot.leave() }
    }

    @Test("a request that holds a turn has a slot at once, even beyond the limits")
    func turn() throws {
        var limits = ChannelLimits()
        (limits.requestsInWork, limits.requestsReserved) = (2, 0)
        let admission = Admission(limits)
        let holder = try #require(AdmissionSlot(admission, Self.caller(1)))
        holder.leave()
        let others = try (2...3).map { try #require(AdmissionSlot(admission, Self.caller($0))) }
        holder.reacquireAtOnce()
        holder.reacquireAtOnce()
        #expect(admission.inWorkCount == 3)
        #expect(AdmissionSlot(admission, Self.caller(4)) == nil)
        for slot in others + [holder] { slot.leave() }
        #expect(admission.inWorkCount == 0)
    }

    @Test("one network reaches its limit without meeting the reserve")
    func oneNetwork() {
        let limits = ChannelLimits()
        let admission = Admission(limits)
        var held: [AdmissionSlot] = []
        for credential in 0..<4 {
            for _ in 0..<200 {
                if let slot = AdmissionSlot(admission, Self.caller(1, credential)) { held.append(slot) }
            }
        }
        #expect(held.count == limits.requestsInWorkPerNetwork)
        for slot in held { slot.leave() }
    }

    @Test("the networks of one IPv6 /48 get no more of the queue's reserve than one network")
    func siteInQueue() async {
        var limits = ChannelLimits()
        limits.requestWait = .seconds(60)
        let admission = Admission(limits)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        var held: [AdmissionSlot] = []
        for network in 100..<200 as Range<UInt32> {
            while let slot = AdmissionSlot(admission, Self.caller(network)) { held.append(slot) }
        }
        #expect(admission.inWorkCount == limits.requestsInWork)
        await withTaskGroup(of: Bool.self) { group in
            for network in 0..<192 as Range<UInt64> {
                let caller = Admission.Caller(network: Network(ipv6: 0x2001_0DB8 << 32 | network))
                group.addTask { (try? await AdmissionSlot.enter(admission, caller, loop)) != nil }
            }
            let open = limits.requestsWaiting - limits.requestsWaitingReserved
            // Requests that find no room to wait are refused at once.
            for _ in 0..<(192 - open) { #expect(await group.next() == false) }
            #expect(admission.waitingCount == open)
            group.cancelAll()
        }
        for slot in held { slot.leave() }
    }

    @Test("the queue has room for a network of which none waits, when others have filled their part of it")
    func queue() async {
        var limits = ChannelLimits()
        limits.requestWait = .seconds(60)
        let admission = Admission(limits)
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        var held: [AdmissionSlot] = []
        for credential in 0..<4 {
            for network in [1, 2] as [UInt32] {
                while let slot = AdmissionSlot(admission, Self.caller(network, credential)) { held.append(slot) }
            }
        }
        // Many networks with a few requests each use the reserve, too.
        for network in 100..<200 as Range<UInt32> {
            while let slot = AdmissionSlot(admission, Self.caller(network)) { held.append(slot) }
        }
        #expect(admission.inWorkCount == limits.requestsInWork)
        await withTaskGroup(of: Bool.self) { group in
            for credential in 0..<4 {
                for network in [1, 2] as [UInt32] {
                    for _ in 0..<40 {
                        group.addTask { (try? await AdmissionSlot.enter(admission, Self.caller(network, credential), loop)) != nil }
                    }
                }
            }
            let open = limits.requestsWaiting - limits.requestsWaitingReserved
            // Requests that find no room to wait are refused at once.
            for _ in 0..<(320 - open) { #expect(await group.next() == false) }
            #expect(admission.waitingCount == open)
            group.addTask { (try? await AdmissionSlot.enter(admission, Self.caller(3), loop)) != nil }
            for _ in 0..<5_000 where admission.waitingCount == open { try? await Task.sleep(for: .milliseconds(1)) }
            #expect(admission.waitingCount == open + 1)
            group.cancelAll()
        }
        for slot in held { slot.leave() }
    }
}
