import Core
import Testing

@testable import PostgresEngine

/// Tests a queue for sixteen connections with a server's default limits.
@Suite("Who gets a connection to PostgreSQL")
struct ConnectionQueueTests {
    private static var limits: ConnectionLimits { PostgresDatabase.Options().poolLimits }

    private static func requester(_ account: String, _ network: UInt32) -> Requester {
        Requester(account: account, network: Network(ipv4: network))
    }

    private static func queue(_ change: (inout ConnectionLimits) -> Void = { _ in }) -> ConnectionQueue<String> {
        var changed = limits
        change(&changed)
        return ConnectionQueue(connections: 16, changed)
    }

    /// Lets 40 accounts of one network ask for a connection each.
    /// - Returns: how many connections the network gets.
    private static func storm(_ network: UInt32, _ use: ConnectionUse, _ queue: inout ConnectionQueue<String>) throws -> Int {
        let before = queue.free
        for number in 0..<40 {
            let requester = requester("\(network)-\(number)", network)
            if !queue.take(use, requester) { try queue.wait("storm", use, requester) }
        }
        return before - queue.free
    }

    /// Asks for connections for one requester.
    /// - Returns: how many connections the requester gets.
    private static func take(_ count: Int, _ use: ConnectionUse, _ requester: Requester, _ queue: inout ConnectionQueue<String>) -> Int {
        var taken = 0
        for _ in 0..<count where queue.take(use, requester) { taken += 1 }
        return taken
    }

    /// - Returns: the names of all waiting calls that get a connection now.
    private static func next(_ queue: inout ConnectionQueue<String>) -> [String] {
        var served: [String] = []
        while let next = queue.next() { served.append(next) }
        return served
    }

    @Test("a network writes on a quarter of the connections and reads on half of them, however many accounts it has")
    func shares() throws {
        var queue = Self.queue()
        let written = try Self.storm(1, .write, &queue)
        let read = try Self.storm(1, .read, &queue)
        #expect(written == 4 && read == 8)
        var single = Self.queue()
        let writtenByOne = Self.take(20, .write, Self.requester("a", 1), &single)
        let readByOne = Self.take(20, .read, Self.requester("a", 1), &single)
        #expect(writtenByOne == 2 && readByOne == 4)
        // An account gets no more connections if it uses several networks.
        let more = Self.take(1, .write, Self.requester("a", 2), &single) + Self.take(1, .read, Self.requester("a", 2), &single)
        #expect(more == 0)
    }

    @Test("networks that hold connections leave a quarter of them to those that hold none")
    func reserve() throws {
        var queue = Self.queue()
        var held = 0
        for network: UInt32 in 1...2 {
            held += try Self.storm(network, .write, &queue)
            held += try Self.storm(network, .read, &queue)
        }
        // The last four connections are for networks that hold none. The second network got one of them.
        #expect(held == 13 && queue.free == 3)
        var served = 0
        for network: UInt32 in 11...13 { served += Self.take(2, .write, Self.requester("v\(network)", network), &queue) }
        #expect(served == 3 && queue.free == 0)
        // Control: without the reserve, two networks hold every connection.
        var open = Self.queue { $0.reserved = 0 }
        for network: UInt32 in 1...2 {
            _ = try Self.storm(network, .write, &open)
            _ = try Self.storm(network, .read, &open)
        }
        let others = Self.take(1, .write, Self.requester("v", 11), &open)
        #expect(open.free == 0 && others == 0)
    }

    @Test("a requester whose calls were long comes after those whose calls were short, also through other accounts of its network")
    func order() throws {
        var queue = Self.queue()
        let (greedy, short) = (Self.requester("greedy", 1), Self.requester("short", 2))
        // Other requesters hold connections, so the queue remembers how long each requester used its own.
        var held = 0
        for network: UInt32 in 101...112 { held += Self.take(1, .write, Self.requester("o\(network)", network), &queue) }
        for (requester, time) in [(greedy, Duration.seconds(10)), (short, .milliseconds(2))] {
            held += Self.take(1, .write, requester, &queue)
            queue.give(.write, requester, after: time)
        }
        for network: UInt32 in 113...116 { held += Self.take(1, .write, Self.requester("o\(network)", network), &queue) }
        #expect(held == 18 && queue.free == 0)
        for number in 0..<3 { try queue.wait("greedy", .write, Self.requester("other \(number)", 1)) }
        try queue.wait("greedy", .write, greedy)
        try queue.wait("short", .write, short)
        var served = [Self.next(&queue)]
        for network: UInt32 in 101...102 {
            queue.give(.write, Self.requester("o\(network)", network), after: .milliseconds(1))
            served.append(Self.next(&queue))
        }
        #expect(served == [[], ["short"], ["greedy"]])
    }

    @Test("a call that waits gets a connection when its network gives one back, and none is lost")
    func waiting() throws {
        var queue = Self.queue()
        let taken = try Self.storm(1, .write, &queue)
        var served = [Self.next(&queue)]
        #expect(taken == 4 && queue.count == 36)
        for number in 0..<4 {
            queue.give(.write, Self.requester("1-\(number)", 1), after: .milliseconds(5))
            served.append(Self.next(&queue))
        }
        #expect(served == [[], ["storm"], ["storm"], ["storm"], ["storm"]])
        #expect(queue.free == 12 && queue.count == 32)
        while queue.remove(where: { $0 == "storm" }) != nil {}
        // The server's own calls get all free connections.
        let ofServer = Self.take(20, .write, .server, &queue)
        #expect(queue.count == 0 && ofServer == 12)
    }

    @Test("half of the reserved connections are for calls of requesters that hold a turn")
    func holders() {
        var queue = Self.queue()
        let begun = [queue.beginForHolder(), queue.beginForHolder(), queue.beginForHolder()]
        #expect(begun == [true, true, false])
        queue.endForHolder()
        let another = queue.beginForHolder()
        #expect(another)
    }

    @Test("above the limit of waiting calls the next is refused")
    func full() throws {
        var queue = Self.queue { $0.waiting = 1 }
        try queue.wait("one", .write, .server)
        var refusal: FairQueueRefusal?
        do throws(FairQueueRefusal) {
            try queue.wait("two", .write, .server)
        } catch {
            refusal = error
        }
        #expect(refusal == .full)
    }
}
