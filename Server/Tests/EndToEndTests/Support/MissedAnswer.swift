import AsyncHTTPClient
import Foundation
import NIOCore

/// The server may refuse a request and close the connection before the body has been sent. AsyncHTTPClient then sometimes reports the
/// closed channel instead of the response that it received. `EarlyAnswerTests` checks on a socket that the response does arrive.
enum MissedAnswer {
    /// - Returns: `nil` if the client missed the response.
    static func unless<Answer>(_ body: () async throws -> Answer) async throws -> Answer? {
        do {
            return try await body()
        } catch ChannelError.ioOnClosedChannel {
            return nil
        } catch let error as HTTPClientError where error == .remoteConnectionClosed {
            return nil
        } catch let error as IOError where [EPIPE, ECONNRESET].contains(error.errnoCode) {
            return nil
        }
    }
}
