import Core
import HTTPTypes
import Hummingbird
package import Web

/// `GET /console/…`: serves the console's pages to everybody. The pages sign in like any other client.
package struct ServeConsole: Sendable {
    private let fences: [(HTTPField.Name, String)]
    private let limits: BuiltInFile

    /// - Parameters:
    ///   - fileOrigin: where the server redirects requests for pictures, sounds and films; `nil` when it sends them itself.
    ///   - fileByteCount: the most bytes of a photo or film. The pages refuse a larger one before they send it.
    ///   - timeZone: the IANA name of the zone of accounts that have set none.
    package init(fileOrigin: String? = nil, fileByteCount: Int64, timeZone: String) {
        fences = Self.fences(fileOrigin)
        limits = BuiltInFile(
            Array(#"{"fileByteCount":\#(fileByteCount),"timeZone":"\#(timeZone)"}"#.utf8), type: "application/json")
    }

    package func addRoutes(to routes: Routes) {
        for file in ConsoleFile.all {
            let content = BuiltInFile(file.bytes, type: file.type)
            switch file.path {
            case "missing.html":
                // The router does not fall back from a folder's routes to a parent wildcard, so each folder gets its own 404 route.
                for path in ["/**"] + Self.folders.flatMap({ ["/\($0)", "/\($0)/**"] }) {
                    routes.servePage("/console\(path)") { _, _ in fenced(content.response(status: .notFound)) }
                }
            case "index.html":
                // Relative links on the page need the trailing slash, but the router treats both paths as one.
                routes.servePage("/console") { request, context in
                    guard request.uri.path.hasSuffix("/") else { return elsewhere }
                    return fenced(try content.conditionalResponse(to: request, context))
                }
            default:
                routes.servePage("/console/\(file.path)") { request, context in
                    fenced(try content.conditionalResponse(to: request, context))
                }
            }
        }
        routes.servePage("/console/limits.json") { request, context in fenced(try limits.conditionalResponse(to: request, context)) }
        routes.servePage("/") { _, _ in elsewhere }
    }

    private static var folders: Set<String> {
        Set(ConsoleFile.all.compactMap { file in file.path.lastIndex(of: "/").map { String(file.path[..<$0]) } })
    }

    private var elsewhere: Response {
        fenced(Response(status: .seeOther, headers: [.location: "/console/", .cacheControl: "no-cache"]))
    }

    private func fenced(_ response: Response) -> Response {
        var response = response
        for (name, value) in fences { response.headers[name] = value }
        return response
    }

    /// Allows only Keepsake's own scripts, styles and fonts, and requests only to this server. `blob:` is for files that were recorded or
    /// picked on the page and not yet uploaded. Trusted Types forbid creating scripts or markup from strings at run time.
    private static func fences(_ fileOrigin: String?) -> [(HTTPField.Name, String)] {
        let files = ["'self'", "blob:"] + (fileOrigin.map { [$0] } ?? [])
        return [
            (
                .contentSecurityPolicy,
                [
                    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src \(files.joined(separator: " "))",
                    "media-src \(files.joined(separator: " "))", "font-src 'self'",
                    "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
                    "require-trusted-types-for 'script'", "trusted-types 'none'",
                ].joined(separator: "; ")
            ),
            (HTTPField.Name("Permissions-Policy")!, "microphone=(self), camera=(), geolocation=(), display-capture=(), payment=(), usb=()"),
            (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
            (HTTPField.Name("Cross-Origin-Resource-Policy")!, "same-origin"),
        ]
    }
}
