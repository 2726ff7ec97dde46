package import HTTPTypes

/// The proxies that are believed when they say for whom they ask. From anybody else those fields are only text.
package struct TrustedProxies: Sendable {
    /// Who asks, as far as it can be believed.
    package struct Client: Equatable, Sendable {
        package var address: IPAddress
        /// Whether the client's side of the proxy is TLS; `nil` when no proxy said.
        package var isSecure: Bool?
    }

    /// Hops that are looked at, from the nearest: no honest chain is longer.
    private static let maximumHopCount = 32

    private let blocks: [AddressBlock]

    package static let none = TrustedProxies(blocks: [])

    private init(blocks: [AddressBlock]) { self.blocks = blocks }

    /// - Parameter text: addresses and blocks with commas between: `127.0.0.1, 10.0.0.0/8, ::1`.
    package init?(_ text: String) {
        var blocks: [AddressBlock] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let block = AddressBlock(item.trimmed) else { return nil }
            blocks.append(block)
        }
        self.blocks = blocks
    }

    package func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// The first address, from the socket outwards, that is no trusted proxy. It is asked of `Forwarded` (RFC 7239), or else of
    /// `X-Forwarded-For`. A proxy that sets one of them may let the other pass as the client sent it, so where both are there and
    /// disagree neither is believed.
    package func client(peer: IPAddress, fields: HTTPFields) -> Client {
        var client = Client(address: peer)
        guard contains(peer) else { return client }
        let forwarded = Self.joined(fields, .forwarded).map(Forwarded.parse)
        let older = Self.joined(fields, .xForwardedFor).map(Self.list)
        // A field that cannot be read says nothing.
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
            // Unknown or hidden: nobody behind the last known one can be told apart.
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
    /// Without blanks around it.
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
