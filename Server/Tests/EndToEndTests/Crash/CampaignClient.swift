import AsyncHTTPClient

/// Fails at once when no server listens. The shared client would retry until its timeout.
let campaignClient: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()
