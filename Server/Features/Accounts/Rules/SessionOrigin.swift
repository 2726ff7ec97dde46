internal import Core

/// How a session was opened. It is stored with the session so that its owner recognises it in a list.
struct SessionOrigin: Sendable, Equatable {
    enum Method: String, Sendable, CaseIterable {
        case password, apple, oidc, firebase
        /// `keepsake token`.
        case tool
    }

    static let maxUserAgentLength = 256

    let method: Method
    let userAgent: String?

    /// - Parameter userAgent: as it was sent. Control characters and direction marks are removed, and it is cut at 256 characters, because
    ///   it is shown to people.
    init(_ method: Method, userAgent: String? = nil) {
        self.method = method
        self.userAgent = Self.shown(userAgent)
    }

    /// The displayable part of a `User-Agent`; `nil` when nothing is left.
    static func shown(_ userAgent: String?) -> String? {
        let plain = (userAgent ?? "").unicodeScalars.filter { !$0.isUnprintable }.prefix(maxUserAgentLength)
        let text = String(String.UnicodeScalarView(plain))
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}

extension Unicode.Scalar {
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: true
        default: false
        }
    }
}
