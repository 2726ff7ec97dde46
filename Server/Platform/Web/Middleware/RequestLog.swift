import HTTPTypes
import Hummingbird
import Logging

/// Logs one line for each request and counts its metrics when its response is ready, and sets `X-Request-Id`.
struct RequestLog: RouterMiddleware {
    typealias Context = WebContext
    let metrics: Metrics

    func handle(_ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response) async throws -> Response {
        let clock = ContinuousClock()
        let start = clock.now
        var response = try await next(request, context)
        let elapsed = clock.now - start
        // The template, never the path: a path identifies people.
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "unmatched"
        let status = response.status.code
        response.headers[.xRequestID] = context.requestID
        let level: Logger.Level = status >= 500 ? .error : .info
        // Build the metadata only if the line will be logged.
        if context.logger.logLevel <= level {
            let facts = context.record.current
            var metadata: Logger.Metadata = [
                "method": "\(request.method.rawValue)", "route": "\(route)", "status": "\(status)",
                "ms": "\(elapsed.components.seconds * 1_000 + elapsed.components.attoseconds / 1_000_000_000_000_000)",
                "request": "\(context.requestID)",
            ]
            if let account = facts.accountID { metadata["account"] = "\(account)" }
            if let fault = facts.fault { metadata["fault"] = "\(fault)" }
            context.logger.log(level: level, "request", metadata: metadata)
        }
        metrics.countRequest(
            method: Self.known(request.method), route: route, status: status,
            seconds: Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18)
        return response
    }

    /// A client may send any method name; the number of metric series must stay bounded.
    private static func known(_ method: HTTPRequest.Method) -> String {
        [.get, .head, .post, .put, .patch, .delete, .options].contains(method) ? method.rawValue : "other"
    }
}

extension HTTPField.Name {
    static let xRequestID = Self("X-Request-Id")!
}
