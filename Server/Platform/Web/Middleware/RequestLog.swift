import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Logs one line for each request and counts its metrics when its response is ready, and sets `X-Request-Id`.
struct RequestLog {
    let metrics: Metrics

    /// - Parameter start: when the request's head had arrived.
    func note(_ response: inout Response, to request: Request, _ context: WebContext, since start: NIODeadline) {
        let nanoseconds = (NIODeadline.now() - start).nanoseconds
        // Log the template of the path and never the path itself, which identifies people.
        let route = context.endpointPath.flatMap { $0 == "NotFound" ? nil : $0 } ?? "unmatched"
        let status = response.status.code
        response.headers.add(HTTPField(name: .xRequestID, value: context.requestID))
        let level: Logger.Level = status >= 500 ? .error : .info
        let logger = context.logger
        if logger.logLevel <= level {
            let facts = context.record.current
            write(
                RequestLine(
                    account: facts.accountID, fault: facts.fault, method: request.method.rawValue,
                    milliseconds: nanoseconds / 1_000_000, requestID: context.requestID, route: route, status: status),
                level, logger)
        }
        metrics.countRequest(
            method: Self.known(request.method), route: route, status: status, seconds: Double(nanoseconds) / 1_000_000_000)
    }

    private func write(_ line: RequestLine, _ level: Logger.Level, _ logger: Logger) {
        if let handler = logger.handler as? any RequestLogHandler { return handler.log(line, level: level) }
        let metadata = Logger.Metadata(uniqueKeysWithValues: line.fields.map { ($0.name, $0.value.metadata) })
        logger.log(level: level, "\(RequestLine.message)", metadata: metadata)
    }

    /// The method as a label. A client may send any method name, but the number of metric series must stay bounded.
    private static func known(_ method: HTTPRequest.Method) -> String {
        methods.contains(method) ? method.rawValue : "other"
    }

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
}

extension HTTPField.Name {
    static let xRequestID = Self("X-Request-Id")!
}
