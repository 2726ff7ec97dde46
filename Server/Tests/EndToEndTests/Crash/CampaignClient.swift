import AsyncHTTPClient

/// Fails at once when no server listens. The shared client would retry until its timeout.
let campaignClient: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    // With the default of 8, requests of one test account would wait for those of another before they reach the server.
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()
