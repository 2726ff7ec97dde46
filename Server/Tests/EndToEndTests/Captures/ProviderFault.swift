import TestKit

/// What a provider does instead of answering.
enum ProviderFault: String, CaseIterable {
    case hangs = "hangs"
    case nonsense = "sends nonsense"
    case brokenJSON = "breaks its JSON"
    case breaksOff = "breaks off"
    case tooMany = "answers 429"
    case failure = "answers 500"
    case overload = "answers 503"

    var reply: ModelStandIn.Reply {
        switch self {
        case .hangs: .hangs
        case .nonsense: .says("<html><body>It works!</body></html>")
        case .brokenJSON: .writes(#"{"imageSummary": null, "themes": ["work""#)
        case .breaksOff: .breaksOff
        case .tooMany: .refuses(429, headers: ["Retry-After": "2"])
        case .failure: .refuses(500)
        case .overload: .refuses(503)
        }
    }
}
