import AsyncHTTPClient

/// Gives up at once where nobody listens; the shared client would try again until its time is over.
let campaignClient: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
}()
