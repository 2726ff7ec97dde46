import Core
import HTTPTypes
import Hummingbird
package import Web

/// `/console/`: the console's pages, for everybody. Whoever is behind them signs in like any other client.
package struct ServeConsole: Sendable {
    package init() {}

    package func addRoutes(to routes: Routes) {
        for file in ConsoleFile.all {
            let content = BuiltInFile(file.bytes, type: file.type)
            guard file.path != Self.missing else {
                // What is no file of ours, whatever it looks like: there is no folder to get out of.
                routes.servePage("/console/**") { _, _ in Self.fenced(content.response(status: .notFound)) }
                continue
            }
            guard file.path != Self.index else {
                // A router takes both for one. With the slash, because what the page names stands beside it.
                routes.servePage("/console") { request, _ in
                    guard request.uri.path.hasSuffix("/") else { return Self.elsewhere }
                    return Self.fenced(try content.conditionalResponse(to: request))
                }
                continue
            }
            routes.servePage("/console/\(file.path)") { request, _ in Self.fenced(try content.conditionalResponse(to: request)) }
        }
        routes.servePage("/") { _, _ in Self.elsewhere }
    }

    private static var elsewhere: Response {
        fenced(Response(status: .seeOther, headers: [.location: "/console/", .cacheControl: "no-cache"]))
    }

    private static let index = "index.html"
    private static let missing = "missing.html"

    private static func fenced(_ response: Response) -> Response {
        var response = response
        for (name, value) in fences { response.headers[name] = value }
        return response
    }

    /// Only our own modules run, only our own styles apply, and only this server is talked to. `blob:` is what was recorded or picked here
    /// and not sent yet. Nothing may be made into script or markup at run time (Trusted Types).
    private static let fences: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "media-src 'self' blob:",
                "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
                "require-trusted-types-for 'script'", "trusted-types 'none'",
            ].joined(separator: "; ")
        ),
        (HTTPField.Name("Permissions-Policy")!, "microphone=(self), camera=(), geolocation=(), display-capture=(), payment=(), usb=()"),
        (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
        (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
    ]
}
