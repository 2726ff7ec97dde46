import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeWire

/// What a handler knows about its request, in addition to the input.
struct FakeCall {
    /// The id of the account; empty for a request without a credential.
    var caller = ""
    var session = ""
    var form = FakeForm()
    /// All values of the request, also those for which the input has no property.
    var fields: [String: JSONValue] = [:]
    var now = Date.distantPast

    func text(_ name: String) -> String? {
        if case .string(let text) = fields[name], !text.isEmpty { text } else { nil }
    }

    var milliseconds: Int { Int((now.timeIntervalSince1970 * 1_000).rounded(.down)) }
}

/// The routes of the fake server.
struct FakeRoutes: Sendable {
    static let all: FakeRoutes = {
        var routes = FakeRoutes()
        routes.addAccounts()
        routes.addIdentities()
        routes.addMedia()
        routes.addCopies()
        routes.addMoments()
        routes.addReading()
        routes.addCapsules()
        routes.addPeople()
        routes.addFriends()
        routes.addCoves()
        routes.addInvitations()
        routes.addCoveEvents()
        routes.addCaptures()
        routes.addChat()
        routes.addEvents()
        return routes
    }()

    /// What a handler returns: JSON, or a file.
    private struct Answer {
        var body: Data
        var type = "application/json; charset=utf-8"
    }

    private struct Route: Sendable {
        let method: HTTPRequest.Method
        let segments: [String]
        let surface: Surface
        let isOpen: Bool
        let takesForm: Bool
        let isCreation: Bool
        let run: @Sendable ([String: JSONValue], FakeCall, inout FakeState) throws -> Answer
    }

    private var routes: [Route] = []

    // MARK: Registration

    mutating func serve<Input: Sendable, Output: Encodable & Sendable>(
        _ endpoint: Endpoint<Input, Output>, isCreation: Bool = false,
        _ handle: @escaping @Sendable (Input, FakeCall, inout FakeState) throws -> Output
    ) {
        add(endpoint, isCreation) { fields, call, state in
            let output = try handle(try Self.decode(fields, endpoint.surface), call, &state)
            return Answer(body: try endpoint.surface.makeEncoder().encode(output))
        }
    }

    mutating func serve<Input: Sendable, Output: Encodable & Sendable>(
        _ creation: CreationEndpoint<Input, Output>,
        _ handle: @escaping @Sendable (Input, FakeCall, inout FakeState) throws -> Output
    ) { serve(creation.endpoint, isCreation: true, handle) }

    /// - Parameter handle: returns the file's bytes and type.
    mutating func serve<Input: Sendable>(
        file endpoint: Endpoint<Input, FileContent>,
        _ handle: @escaping @Sendable (Input, FakeCall, inout FakeState) throws -> (Data, String)
    ) {
        add(endpoint, false) { fields, call, state in
            let (body, type) = try handle(try Self.decode(fields, endpoint.surface), call, &state)
            return Answer(body: body, type: type)
        }
    }

    private mutating func add<Input, Output>(
        _ endpoint: Endpoint<Input, Output>, _ isCreation: Bool,
        _ run: @escaping @Sendable ([String: JSONValue], FakeCall, inout FakeState) throws -> Answer
    ) {
        var isOpen = false
        if case .anyone = endpoint.access { isOpen = true }
        var takesForm = false
        if case .multipart = endpoint.body { takesForm = true }
        routes.append(
            Route(
                method: endpoint.method, segments: Self.segments(endpoint.path), surface: endpoint.surface, isOpen: isOpen,
                takesForm: takesForm, isCreation: isCreation, run: run))
    }

    // MARK: Requests

    func surface(of request: HTTPRequest) -> Surface { (try? find(request).route)?.surface ?? .capsules }

    func respond(to request: HTTPRequest, _ body: Data, _ state: inout FakeState, _ now: Date) -> TransportResponse {
        var surface = Surface.capsules
        do {
            let (route, values) = try find(request)
            surface = route.surface
            var call = FakeCall()
            call.now = now
            if !route.isOpen { (call.caller, call.session) = try state.authenticate(request, now) }
            try Self.check(values, call.caller)
            var fields = values.mapValues { JSONValue.string($0) }
            for (name, value) in Self.query(of: request) { fields[name] = .string(value) }
            if route.takesForm {
                call.form = try FakeForm(body, contentType: request.headerFields[.contentType] ?? "")
            } else if !body.isEmpty {
                guard case .object(let members) = try? JSONDecoder().decode(JSONValue.self, from: body) else {
                    throw FakeProblem(400, "The body is not a JSON object.")
                }
                fields.merge(members) { path, _ in path }
            }
            call.fields = fields
            let answer = try run(route, request, fields, call, &state)
            return TransportResponse(head: FakeProblem.head(200, now, type: answer.type), body: answer.body)
        } catch {
            let problem = error as? FakeProblem ?? FakeProblem(500, "The fake server failed: \(error)")
            return problem.response(surface, now)
        }
    }

    /// Runs a request that creates something once for each `Idempotency-Key`, and keeps its response. Errors are not kept.
    private func run(
        _ route: Route, _ request: HTTPRequest, _ fields: [String: JSONValue], _ call: FakeCall, _ state: inout FakeState
    ) throws -> Answer {
        guard route.isCreation, let name = HTTPField.Name("Idempotency-Key"), let key = request.headerFields[name] else {
            return try state.attempt { try route.run(fields, call, &$0) }
        }
        let id = FakeState.CreationID(caller: call.caller, route: route.segments.joined(separator: "/"), key: key)
        if let kept = state.creations[id] {
            guard kept.fields == fields, kept.form == call.form else {
                throw FakeProblem(422, "The Idempotency-Key was used for another request.")
            }
            guard let body = kept.body else { throw FakeProblem(410, "What this key created was deleted.") }
            return Answer(body: body)
        }
        state.created = []
        let answer = try state.attempt { try route.run(fields, call, &$0) }
        state.creations[id] = FakeState.Creation(fields: fields, form: call.form, body: answer.body, resources: state.created)
        return answer
    }

    /// Answers the handshake of a WebSocket.
    func open(_ request: HTTPRequest, _ state: inout FakeState, _ now: Date) -> Result<FakeOpening, FakeProblem> {
        do {
            let (user, session) = try state.authenticate(request, now)
            let since = Self.query(of: request)["since"]
            let head = state.logs[user]?.seq ?? 0
            let kind: FakeOpening.Kind
            if Self.match(Self.segments(LiveEndpoints.socket.path), Self.path(of: request)) != nil {
                kind = .events
            } else if let values = Self.match(Self.segments(CaptureEndpoints.socket.path), Self.path(of: request)) {
                try Self.check(values, user)
                kind = .captures
            } else {
                throw FakeProblem(404, "This path does not exist.")
            }
            guard let number = since.map({ Int64($0) }) ?? head, number >= 0 else {
                throw FakeProblem.invalid("since must be 0 or more.", "since")
            }
            return .success(FakeOpening(kind: kind, user: user, session: session, since: number))
        } catch {
            return .failure(error as? FakeProblem ?? FakeProblem(500, "\(error)"))
        }
    }

    private func find(_ request: HTTPRequest) throws -> (route: Route, values: [String: String]) {
        let path = Self.path(of: request)
        var best: (route: Route, values: [String: String])?
        for route in routes where route.method == request.method {
            guard let values = Self.match(route.segments, path) else { continue }
            // Prefer the route with fewer placeholders: `/moods/stats` is not the path of a mood with the id `stats`.
            if best.map({ values.count < $0.values.count }) ?? true { best = (route, values) }
        }
        guard let best else { throw FakeProblem(404, "The fake server has no \(request.method) \(request.path ?? "").") }
        return best
    }

    private static func check(_ values: [String: String], _ caller: String) throws {
        if let owner = values["userId"], owner != caller { throw FakeProblem(403, "This is not your account.") }
    }

    // MARK: Paths and values

    /// The parameters of the query. As on the real server, an empty parameter of a request that reads counts as absent.
    static func query(of request: HTTPRequest) -> [String: String] {
        guard let items = URLComponents(string: request.path ?? "")?.queryItems else { return [:] }
        var query: [String: String] = [:]
        for item in items where query[item.name] == nil {
            guard let value = item.value, request.method != .get || !value.isEmpty else { continue }
            query[item.name] = value
        }
        return query
    }

    private static func segments(_ path: String) -> [String] {
        path.split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    }

    private static func path(of request: HTTPRequest) -> [String] { segments(String((request.path ?? "").prefix { $0 != "?" })) }

    /// - Returns: the values of the placeholders in the pattern; `nil` if the path does not match.
    private static func match(_ pattern: [String], _ path: [String]) -> [String: String]? {
        guard pattern.count == path.count else { return nil }
        var values: [String: String] = [:]
        for (expected, found) in zip(pattern, path) {
            if expected.hasPrefix("{") {
                values[String(expected.dropFirst().dropLast())] = found
            } else if expected != found {
                return nil
            }
        }
        return values
    }

    /// Decodes the input. All values of a query are strings, so this converts a value to a number or a Boolean if the property needs one.
    private static func decode<Input: Decodable>(_ fields: [String: JSONValue], _ surface: Surface) throws -> Input {
        var fields = fields
        while true {
            do {
                let input = try surface.makeDecoder().decode(Input.self, from: JSONEncoder().encode(JSONValue.object(fields)))
                try checkWords(of: input)
                return input
            } catch DecodingError.typeMismatch(let type, let context) {
                guard context.codingPath.count == 1, let name = context.codingPath.first?.stringValue,
                    case .string(let text) = fields[name], let value = scalar(text)
                else {
                    let name = context.codingPath.first?.stringValue ?? "body"
                    throw FakeProblem.invalid("\(name) must be of the type \(type).", name)
                }
                fields[name] = value
            } catch DecodingError.keyNotFound(let key, _) {
                throw FakeProblem.invalid("\(key.stringValue) is missing.", key.stringValue)
            } catch DecodingError.valueNotFound(_, let context), DecodingError.dataCorrupted(let context) {
                let name = context.codingPath.first?.stringValue ?? "body"
                throw FakeProblem.invalid("\(name) is not valid: \(context.debugDescription)", name)
            }
        }
    }

    /// As on the real server, a value of an enumerated type must be one that the API lists.
    private static func checkWords(of input: some Any) throws {
        for (name, value) in Mirror(reflecting: input).children {
            if let name, let word = value as? any WireWord, !word.isKnown {
                throw FakeProblem.invalid("\(name) is not valid: \(word.rawValue)", name)
            }
        }
    }

    private static func scalar(_ text: String) -> JSONValue? {
        if let value = Int64(text) { return .integer(value) }
        if let value = Double(text) { return .number(value) }
        return Bool(text).map { .bool($0) }
    }
}
