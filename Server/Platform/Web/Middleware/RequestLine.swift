package import Logging

/// What the log says about one request.
package struct RequestLine: Sendable {
    package var account: String?
    /// What went wrong, for the operator. Only responses that are errors of the server have it.
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

    /// The value of a field. A program that reads the log needs numbers as numbers.
    package enum Value: Sendable {
        case text(String)
        case number(Int64)

        package var metadata: Logger.MetadataValue {
            switch self {
            case .text(let text): .string(text)
            case .number(let number): .stringConvertible(number)
            }
        }
    }

    /// The fields, in the order of their names.
    package var fields: [(name: String, value: Value)] {
        var fields: [(name: String, value: Value)] = []
        fields.reserveCapacity(7)
        if let account { fields.append(("account", .text(account))) }
        if let fault { fields.append(("fault", .text(fault))) }
        fields.append(("method", .text(method)))
        fields.append(("ms", .number(milliseconds)))
        fields.append(("request", .text(requestID)))
        fields.append(("route", .text(route)))
        fields.append(("status", .number(Int64(status))))
        return fields
    }
}

/// A log handler that accepts a `RequestLine`. Any other handler gets a dictionary of the fields, which it would have to sort.
package protocol RequestLogHandler: LogHandler {
    func log(_ line: RequestLine, level: Logger.Level)
}
