public import Foundation
import HTTPTypes
public import KeepsakeWire

/// A Keepsake server, as one person uses it. An app makes one object for each server and keeps it.
///
/// Every call is async and throws `KeepsakeError`. Calls may run at the same time, from any task.
public final class Keepsake: Sendable {
    public let url: URL
    public let auth: Auth
    public let media: MediaLibrary
    public let moments: Moments
    public let timeline: Timeline
    public let search: SearchService
    public let capsules: Capsules
    public let chat: Chat
    public let people: People
    public let coves: Coves
    public let captures: Captures
    public let ask: Questions
    public let events: Events

    let client: Client

    /// - Parameters:
    ///   - url: the server's URL, for example `https://keepsake.example.org`, with or without a path.
    ///   - tokens: the store that keeps the session between launches.
    ///   - signals: the library reconnects at once after each of them, if the connection for live events was lost.
    public convenience init(
        url: URL, tokens: any TokenStore, transport: any Transport = URLSessionTransport(), clock: KeepsakeClock = .system,
        randomness: KeepsakeRandomness = .system, retries: RetryPolicy = RetryPolicy(), signals: KeepsakeSignals = .system
    ) {
        self.init(
            url: url, session: Session(store: tokens, clock: clock, randomness: randomness), transport: transport, clock: clock,
            randomness: randomness, retries: retries, signals: signals)
    }

    /// - Parameter replaysEvents: only one test sets `false`, to show that events would be missed.
    init(
        url: URL, session: Session, transport: any Transport, clock: KeepsakeClock, randomness: KeepsakeRandomness, retries: RetryPolicy,
        signals: KeepsakeSignals = .none, replaysEvents: Bool = true
    ) {
        self.url = url
        client = Client(
            base: url, session: session, transport: transport, clock: clock, randomness: randomness, retries: retries)
        auth = Auth(client: client)
        media = MediaLibrary(client: client)
        moments = Moments(client: client)
        timeline = Timeline(client: client)
        search = SearchService(client: client)
        capsules = Capsules(client: client)
        chat = Chat(client: client)
        people = People(client: client)
        coves = Coves(client: client)
        ask = Questions(client: client)
        events = Events(client: client, signals: signals, replays: replaysEvents)
        captures = Captures(client: client, events: events)
    }

    // The calls below encode and decode on the caller's actor, because the types may be isolated to the main actor, and are then `Codable`
    // only there. All other work, such as composing a form, runs on other threads.

    /// Calls any endpoint of the API as the person who is signed in.
    /// - Parameter isolation: the actor that encodes the input and decodes the output. Leave it out: the default is the caller's actor.
    public func send<Input, Output: Decodable>(
        _ endpoint: Endpoint<Input, Output>, _ input: Input, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        let route = Route(endpoint)
        let parts = try RequestParts(route, input)
        return try route.decode(try await client.response(route, .init()) { _ in parts })
    }

    /// Calls an endpoint that creates something. The key makes repeats safe, also from another process: the server creates it only once.
    /// - Parameters:
    ///   - key: 1…255 visible ASCII characters; by default a new one for each call.
    ///   - form: the body, for an endpoint that takes a form.
    ///   - isolation: as in `send(_:_:isolation:)`.
    public func send<Input, Output: Decodable>(
        _ creation: CreationEndpoint<Input, Output>, _ input: Input, form: MultipartForm? = nil, key: String? = nil,
        progress: ProgressHandler? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Output {
        let route = Route(creation.endpoint)
        let parts = try RequestParts(route, input)
        let options = Client.Options(key: key ?? client.randomness.id(), progress: ProgressReport(progress))
        return try route.decode(try await client.response(route, options, form: form) { _ in parts })
    }

    /// Downloads a file. The file appears at `file` only when it is complete, and replaces a file that was there before.
    public func download<Input>(
        _ endpoint: Endpoint<Input, FileContent>, _ input: Input, to file: URL, progress: ProgressHandler? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let route = Route(endpoint)
        let parts = try RequestParts(route, input)
        try await client.download(route, to: file, .init(progress: ProgressReport(progress))) { _ in parts }
    }
}
