package import Logging

/// What the log says about one request.
package struct RequestLine: Sendable {
    package var account: String?
    /// For the operator; only for responses that are errors of the server.
    package var fault: String?
    package var method: String
    package var milliseconds: Int64
    package var requestID: String
    /// The template of the route, never the path.
    package var route: String
    package var status: Int

    package init(
        account: String?, fault: String?, method: String, milliseconds: Int64, requestID: String, route: String, status: Int
    ) {
        self.account = account
        self.fault = fault
        self.method = method
        self.milliseconds = milliseconds
        self.requestID = requestID
        self.route = route
        self.status = status
    }

    package static let message = "request"

    /// The fields, in the order of their names.
    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(7)
        if let account { fields.append(("account", account)) }
        if let fault { fields.append(("fault", fault)) }
        fields.append(("method", method))
        fields.append(("ms", String(milliseconds)))
        fields.append(("request", requestID))
        fields.append(("route", route))
        fields.append(("status", String(status)))
        return fields
    }
}

/// A log handler that takes a request's line as it is. Any other handler gets a dictionary of the fields, which it would have to sort.
package protocol RequestLogHandler: LogHandler {
    func log(_ line: RequestLine, level: Logger.Level)
}
