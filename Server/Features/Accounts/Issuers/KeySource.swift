internal import Core
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Outbound

/// An issuer's public keys, fetched when they are needed and kept for as long as the issuer says.
///
/// One request is under way at a time, and all who need it wait for the same one. While the issuer is away, the keys that are known
/// go on counting.
actor KeySource {
    struct Held: Sendable {
        let keys: [String: IssuerKey]
        let fetchedAt: Timestamp
        let freshUntil: Timestamp
        /// Which fetch brought it.
        let number: Int
    }

    /// An unknown key id makes us ask again, but no more often than this: anybody can write one.
    static let unknownKeyPause = Duration.seconds(10)
    /// After a fetch that failed.
    static let retryPause = Duration.seconds(10)
    /// Keys older than this count no more, however long their issuer is away: it may have had to withdraw one.
    static let staleLife = Duration.days(7)

    /// For the log.
    private let issuer: String
    private let clock: WallClock
    private let logger: Logger
    private let outbound: OutboundHTTP
    private let locate: @Sendable (OutboundHTTP) async throws -> String

    private var held: Held?
    private var failedAt: Timestamp?
    private var unknownAt: Timestamp?
    private var started = 0
    /// Owned here, joined by all who need it, and over before it is dropped.
    private var loading: Task<Void, Never>?

    /// - Parameter locate: says where the keys are, asked before each fetch.
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
    /// - Throws: `.unavailable` when that cannot be told, because the issuer is away.
    func key(_ kid: String) async throws -> IssuerKey? {
        // A fetch that was under way when we came may have read the keys before this one was among them.
        let asked = started
        while true {
            let now = clock.now
            if let old = held, now - old.fetchedAt >= Self.staleLife { held = nil }
            if let held {
                if held.number > asked { return held.keys[kid] }
                if let key = held.keys[kid] {
                    if held.isFresh(now) { return key }
                    if failedAt != nil {
                        // Away: nobody waits, and somebody looks whether it is back.
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
        .unavailable, "Whoever issued this token cannot be asked for its keys at the moment. Try again shortly.", retryAfter: retryPause)

    /// True also when the clock was set back: then the moment says nothing.
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
                        // RFC 9111 §5.1: how long a cache on the way has had it already.
                        age: response.headers.first(name: "Age").flatMap { Int64($0) } ?? 0), number: number)
            failedAt = nil
        } catch {
            failedAt = clock.now
            logger.warning(
                "an issuer's keys could not be fetched",
                metadata: ["issuer": "\(issuer)", "why": "\(error)", "has_keys": "\(held != nil)"])
        }
    }
}

/// An issuer answered, but not with what its protocol says. The text names no address.
struct IssuerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension OutboundHTTP.Request {
    /// Asks for JSON.
    static func json(_ url: String) -> Self { Self(.GET, url, headers: ["Accept": "application/json"]) }
}

extension KeySource.Held {
    func isFresh(_ now: Timestamp) -> Bool { now < freshUntil && freshUntil - now <= CacheLifetime.longest }
}

/// For how long an answer may be used, from `Cache-Control: max-age` (RFC 9111 §5.2.2.1).
enum CacheLifetime {
    /// Where nothing is said of it.
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
