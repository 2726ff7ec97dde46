internal import AsyncHTTPClient
internal import Core
internal import NIOCore
internal import NIOHTTP1

/// Asks other services, seldom and carefully: no redirects, an answer of bounded size within a bounded time.
///
/// Each question has a client of its own. One an hour is not worth connections that wait, and so nothing has to be shut down.
struct Outside: Sendable {
    struct Answer: Sendable {
        let status: Int
        let cacheControl: [String]
        /// How long a cache on the way had it already, in seconds (RFC 9111 §5.1).
        let age: Int64
        let retryAfter: Duration?
        let body: [UInt8]
    }

    /// No answer, or not a whole one. Its words name no address.
    struct Away: Error, CustomStringConvertible {
        let description: String
    }

    static let maxByteCount = 262_144
    static let timeout = Duration.seconds(5)

    func get(_ url: String) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "application/json")
        return try await send(request)
    }

    /// - Parameter form: sent as `application/x-www-form-urlencoded`.
    func post(_ form: [(String, String)], to url: String) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.body = .bytes(ByteBuffer(string: FormEncoding.encode(form)))
        return try await send(request)
    }

    private func send(_ request: HTTPClientRequest) async throws -> Answer {
        guard OutsideAddress.isAllowed(request.url) else { throw Away(description: "the address is not https") }
        do {
            // Raced against the clock here: the library's own deadline ends with the head of the answer.
            return try await withThrowingTaskGroup(of: Answer?.self) { group in
                group.addTask { try await Self.execute(request) }
                group.addTask {
                    try await Task.sleep(for: Self.timeout)
                    return nil
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next()?.flatMap({ $0 }) else { throw Away(description: "no answer in time") }
                return answer
            }
        } catch let away as Away {
            throw away
        } catch is NIOTooManyBytesError {
            throw Away(description: "the answer is larger than \(Self.maxByteCount) bytes")
        } catch {
            throw Away(description: "\(type(of: error))")
        }
    }

    private static func execute(_ request: HTTPClientRequest) async throws -> Answer {
        var configuration = HTTPClient.Configuration()
        // Who is asked stands in the settings, and nobody else.
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(3)
        // What is small when it arrives could be large when it is inflated.
        configuration.decompression = .disabled
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let response = try await client.execute(request, timeout: .seconds(5))
            let body = try await response.body.collect(upTo: maxByteCount)
            return Answer(
                status: Int(response.status.code), cacheControl: response.headers[canonicalForm: "cache-control"].map { String($0) },
                age: response.headers.first(name: "Age").flatMap { Int64($0) } ?? 0,
                retryAfter: response.headers.first(name: "Retry-After").flatMap { Int64($0) }.map { .seconds(min(max($0, 1), 3_600)) },
                body: Array(body.readableBytesView))
        }
    }
}

/// `application/x-www-form-urlencoded`, as the URL standard writes it.
enum FormEncoding {
    static func encode(_ pairs: [(String, String)]) -> String { pairs.map { "\(escape($0.0))=\(escape($0.1))" }.joined(separator: "&") }

    private static func escape(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "*"):
                out.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: " "): out += "+"
            default: out += "%" + Hex.encode([byte]).uppercased()
            }
        }
        return out
    }
}
