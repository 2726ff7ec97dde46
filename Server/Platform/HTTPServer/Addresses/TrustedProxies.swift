package import HTTPTypes

/// The proxies whose `Forwarded` and `X-Forwarded-*` fields the server trusts. From any other peer it ignores these fields.
package struct TrustedProxies: Sendable {
    /// The client of a request, as far as trusted proxies report it.
    package struct Client: Equatable, Sendable {
        package var address: IPAddress
        /// Whether the client's connection to the proxy uses TLS; `nil` when no trusted proxy reports it.
        package var isSecure: Bool?
    }

    /// The most hops read, from the nearest one; no legitimate chain is longer.
    private static let maximumHopCount = 32

    private let blocks: [AddressBlock]

    package static let none = TrustedProxies(blocks: [])

    private init(blocks: [AddressBlock]) { self.blocks = blocks }

    /// - Parameter text: addresses and CIDR blocks, separated by commas: `127.0.0.1, 10.0.0.0/8, ::1`.
    package init?(_ text: String) {
        var blocks: [AddressBlock] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let block = AddressBlock(item.trimmed) else { return nil }
            blocks.append(block)
        }
        self.blocks = blocks
    }

    /// Whether no proxy is trusted.
    package var isEmpty: Bool { blocks.isEmpty }

    /// Whether one of the blocks contains every IPv4 address, as 0.0.0.0/0 and ::/0 do.
    package var hasEveryIPv4Address: Bool {
        guard let first = IPAddress("0.0.0.0"), let last = IPAddress("255.255.255.255") else { return false }
        return blocks.contains { $0.contains(first) && $0.contains(last) }
    }

    package func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// The first address that is not a trusted proxy, counted from the socket's peer towards the client. The addresses come from
    /// `Forwarded` (RFC 7239) or `X-Forwarded-For`. A proxy that sets one of these fields may pass the other on as the client sent it. So
    /// if both are present and lead to different addresses, the server uses neither.
    package func client(peer: IPAddress, fields: HTTPFields) -> Client {
        var client = Client(address: peer)
        guard contains(peer) else { return client }
        let forwarded = Self.joined(fields, .forwarded).map(Forwarded.parse)
        let older = Self.joined(fields, .xForwardedFor).map(Self.list)
        // An unreadable field counts as an empty chain.
        let chains = [forwarded.map { $0?.map(\.client) ?? [] }, older].compactMap { $0 }
        let addresses = chains.map { nearest(peer, $0) }
        if let first = addresses.first, addresses.allSatisfy({ $0 == first }) { client.address = first }
        let proto = (forwarded ?? nil)?.last?.proto ?? Self.joined(fields, .xForwardedProto).flatMap { Self.words($0).last }
        switch proto?.lowercased() {
        case "https", "wss": client.isSecure = true
        case "http", "ws": client.isSecure = false
        default: break
        }
        return client
    }

    private func nearest(_ peer: IPAddress, _ chain: [IPAddress?]) -> IPAddress {
        var address = peer
        for hop in chain.reversed().prefix(Self.maximumHopCount) {
            // The hop is unknown or obfuscated: clients behind the last known address cannot be told apart.
            guard let hop else { break }
            address = hop
            if !contains(hop) { break }
        }
        return address
    }

    private static func joined(_ fields: HTTPFields, _ name: HTTPField.Name) -> String? {
        let values = fields[values: name]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    private static func words(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).suffix(maximumHopCount).map { $0.trimmed }
    }

    private static func list(_ text: String) -> [IPAddress?] { words(text).map { Forwarded.address($0) } }
}

extension StringProtocol {
    /// The text without blanks at its ends.
    fileprivate var trimmed: String {
        let blanks: Set<Character> = [" ", "\t"]
        let start = drop { blanks.contains($0) }
        guard let end = start.lastIndex(where: { !blanks.contains($0) }) else { return "" }
        return String(start[...end])
    }
}

extension HTTPField.Name {
    package static let forwarded = Self("Forwarded")!
    package static let xForwardedFor = Self("X-Forwarded-For")!
    static let xForwardedProto = Self("X-Forwarded-Proto")!
}
