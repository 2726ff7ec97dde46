internal import Core
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Outbound

/// Fetches an issuer's public keys on demand and caches them for as long as the issuer's response allows.
///
/// One request runs at a time; concurrent callers wait for it. While the issuer cannot be reached, the cached keys stay valid.
actor KeySource {
    struct Held: Sendable {
        let keys: [String: IssuerKey]
        let fetchedAt: Timestamp
        let freshUntil: Timestamp
        /// The number of the fetch that returned these keys.
        let number: Int
    }

    /// Minimum time between two fetches for unknown key ids. Any client can send an unknown id, so a fetch must not follow each of them.
    static let unknownKeyPause = Duration.seconds(10)
    /// Minimum time between a failed fetch and the next.
    static let retryPause = Duration.seconds(10)
    /// Keys older than this are dropped, even while the issuer cannot be reached: it may have revoked one.
    static let staleLife = Duration.days(7)

    /// The name in log entries.
    private let issuer: String
    private let clock: WallClock
    private let logger: Logger
    private let outbound: OutboundHTTP
    private let locate: @Sendable (OutboundHTTP) async throws -> String

    private var held: Held?
    private var failedAt: Timestamp?
    private var unknownAt: Timestamp?
    private var started = 0
    /// The fetch that runs now. This actor owns it; callers await it, and it ends before the reference is dropped.
    private var loading: Task<Void, Never>?

    /// - Parameter locate: returns the URL of the keys; called before each fetch.
    init(
        issuer: String, outbound: OutboundHTTP, clock: WallClock, logger: Logger,
        locate: @escaping @Sendable (OutboundHTTP) async throws -> String
    ) {
        self.issuer = issuer
        self.clock = clock
        self.logger = logger
        self.locate = locate
        self.outbound = outbound
    }

    /// - Returns: `nil` when the issuer has no such key.
    /// - Throws: `.unavailable` when the issuer cannot be reached and the cached keys do not include this one.
    func key(_ kid: String) async throws -> IssuerKey? {
        // A fetch that started before this call may have read the keys before the issuer added this one, so it does not prove that the key
        // is missing.
        let asked = started
        while true {
            let now = clock.now
            if let old = held, now - old.fetchedAt >= Self.staleLife { held = nil }
            if let held {
                if held.number > asked { return held.keys[kid] }
                if let key = held.keys[kid] {
                    if held.isFresh(now) { return key }
                    if failedAt != nil {
                        // The issuer cannot be reached: return the stale key at once, and retry in the background.
                        if loading == nil, Self.isOver(failedAt, Self.retryPause, now) { fetch() }
                        return key
                    }
                    await (loading ?? fetch()).value
                    continue
                }
            }
            if let loading {
                await loading.value
            } else {
                if !Self.isOver(failedAt, Self.retryPause, now) { throw Self.away }
                if held != nil {
                    guard Self.isOver(unknownAt, Self.unknownKeyPause, now) else { return nil }
                    unknownAt = now
                }
                await fetch().value
            }
            if failedAt != nil { throw Self.away }
        }
    }

    private static let away = Problem(
        .unavailable, "The server cannot reach the token's issuer to verify it. Try again shortly.", retryAfter: retryPause)

    /// Whether `pause` has passed since `moment`. True also when the clock was set back, because the comparison is then meaningless.
    private static func isOver(_ moment: Timestamp?, _ pause: Duration, _ now: Timestamp) -> Bool {
        guard let moment else { return true }
        return now < moment || now - moment >= pause
    }

    @discardableResult
    private func fetch() -> Task<Void, Never> {
        started += 1
        let number = started
        let task = Task { await read(number) }
        loading = task
        return task
    }

    private func read(_ number: Int) async {
        defer { loading = nil }
        do {
            let response = try await outbound.send(.json(try await locate(outbound)))
            guard response.status == 200 else { throw IssuerFailure("status \(response.status)") }
            let keys = IssuerKey.all(in: Array(response.body.readableBytesView))
            guard !keys.isEmpty else { throw IssuerFailure("no key in the response can be used") }
            let now = clock.now
            held = Held(
                keys: keys, fetchedAt: now,
                freshUntil: now
                    + CacheLifetime.of(
                        response.headers[canonicalForm: "cache-control"].map { String($0) },
                        // RFC 9111 §5.1: how long a cache on the way has stored the response.
                        age: response.headers.first(name: "Age").flatMap { Int64($0) } ?? 0), number: number)
            failedAt = nil
        } catch {
            failedAt = clock.now
            logger.warning(
                "an issuer's keys could not be fetched",
                metadata: ["issuer": "\(issuer)", "why": "\(error)", "has_keys": .stringConvertible(held != nil)])
        }
    }
}

/// An issuer's response did not follow its protocol. The description contains no URL.
struct IssuerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension OutboundHTTP.Request {
    /// A GET request for JSON.
    static func json(_ url: String) -> Self { Self(.GET, url, headers: ["Accept": "application/json"]) }
}

extension KeySource.Held {
    func isFresh(_ now: Timestamp) -> Bool { now < freshUntil && freshUntil - now <= CacheLifetime.longest }
}

/// How long a response may be cached, from `Cache-Control: max-age` (RFC 9111 §5.2.2.1).
enum CacheLifetime {
    /// The lifetime for a response without a `max-age`.
    static let usual = Duration.hours(1)
    static let shortest = Duration.minutes(1)
    static let longest = Duration.hours(24)

    static func of(_ directives: [String], age: Int64) -> Duration {
        var life: Duration?
        for directive in directives {
            let parts = directive.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            switch parts.first?.lowercased() {
            case "max-age"?:
                guard parts.count == 2, let seconds = Int64(parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))), seconds >= 0
                else { continue }
                life = .seconds(min(seconds, 31_536_000) - min(max(age, 0), 31_536_000))
            case "no-store"?, "no-cache"?: return shortest
            default: continue
            }
        }
        return min(max(life ?? usual, shortest), longest)
    }
}
