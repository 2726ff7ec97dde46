package import Core
internal import Foundation
internal import NIOCore
internal import NIOFoundationCompat

/// Why an engine gave no answer. The description contains neither the key, nor the address, nor anything of the request.
package struct ProviderFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether a retry would fail in the same way until the operator changes something.
    package let isPermanent: Bool
    /// How long a retry should wait; `nil` when that is not known.
    package let after: Duration?
    /// The status of the response; `nil` when none came, or when its body failed.
    package let status: Int?
    /// Whether the engine could not be reached, took too long or is overloaded, or the server does not call it at the moment. `false` means
    /// that the engine answered.
    package var isAway = false

    static func refused(_ description: String, status: Int? = nil) -> ProviderFailure {
        ProviderFailure(description: description, isPermanent: true, after: nil, status: status)
    }

    static func unavailable(_ description: String, after: Duration? = nil, status: Int? = nil) -> ProviderFailure {
        ProviderFailure(description: description, isPermanent: false, after: after, status: status)
    }

    static func away(_ description: String, after: Duration? = nil, status: Int? = nil) -> ProviderFailure {
        ProviderFailure(description: description, isPermanent: false, after: after, status: status, isAway: true)
    }
}

extension ProviderFailure {
    /// The failure for a response with another status than 200. It keeps only the status and the short error code, because error messages
    /// may quote parts of the key or of the request.
    /// - Parameter now: when the response came.
    package init(_ response: OutboundHTTP.Response, engine: String, now: Timestamp) {
        let code = (try? JSONDecoder().decode(Refusal.self, from: Data(buffer: response.body)))?.error?.word
        let reason = "\(engine) answers \(response.status)" + (code.map { " (\($0))" } ?? "")
        // 401 and 403: the key is wrong until an operator changes it and restarts the server. 404: the same is true of the address or the
        // model.
        switch response.status {
        case 400, 401, 403, 404, 405, 413, 415, 422: self = .refused(reason, status: response.status)
        case 408, 429, 503, 504: self = .away(reason, after: response.retryAfter(now: now), status: response.status)
        default: self = .unavailable(reason, after: response.retryAfter(now: now), status: response.status)
        }
    }

    private struct Refusal: Decodable {
        struct Body: Decodable {
            /// The error code: OpenAI sends a text in `code`; Gemini sends a number in `code` and a text in `status`.
            let word: String?

            enum CodingKeys: String, CodingKey { case code, status }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: CodingKeys.self)
                let texts = [CodingKeys.code, .status].compactMap { try? members.decode(String.self, forKey: $0) }
                word = texts.first { text in
                    (1...64).contains(text.utf8.count)
                        && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || $0 == 0x5F }
                }
            }
        }
        let error: Body?
    }
}

extension ProviderFailure {
    /// The failure when the engine answered 200, but what it sent cannot be used.
    package static func unusable(_ description: String) -> ProviderFailure { unavailable(description) }

    /// The failure when the engine answered 200 and refuses to answer the question.
    package static func refusal(_ description: String) -> ProviderFailure { refused(description) }
}
