import Core
import HTTPTypes
import Testing

@testable import Web

@Suite("The Cookie field")
struct CookieFieldTests {
    private static let good = String(repeating: "A", count: 43)

    private func value(_ fields: [String]) -> String? {
        var all = HTTPFields()
        for field in fields { all.append(HTTPField(name: .cookie, value: field)) }
        return SessionCookie.value(in: all, isSecure: true)
    }

    @Test(
        "a cookie is found among others, with any whitespace around it",
        arguments: [
            ["__Host-keepsake=x"], ["a=b; __Host-keepsake=x; c=d"], [" \t__Host-keepsake=x \t;"], ["a=b", "__Host-keepsake=x"],
            ["__Host-keepsake-device=y; __Host-keepsake=x"], ["keepsake=y;__Host-keepsake=x;;=;"],
        ])
    func found(_ fields: [String]) { #expect(value(fields) == "x") }

    @Test(
        "a similar name is another cookie, which a sibling subdomain may set",
        arguments: [
            "__Ho st-keepsake=x", "__Host-keepsake =x", "__Host- keepsake=x", "__Host-\tkeepsake=x", "__host-keepsake=x", "keepsake=x",
            "__Host-keepsake\u{A0}=x", "\u{A0}__Host-keepsake=x", "__Host-keepsake", "=__Host-keepsake=x", "\"__Host-keepsake\"=x", "",
        ])
    func lookAlikes(_ field: String) { #expect(value([field]) == nil) }

    @Test(
        "two cookies of one name are both ignored, in one field or in two",
        arguments: [
            ["__Host-keepsake=x; __Host-keepsake=y"], ["__Host-keepsake=x", "__Host-keepsake=y"], ["__Host-keepsake=x; __Host-keepsake=x"],
            ["__Host-keepsake=x; __Host-keepsake="],
        ])
    func twice(_ fields: [String]) { #expect(value(fields) == nil) }

    @Test("beyond 1,000 cookies, none is found")
    func tooMany() {
        let others = String(repeating: "a=b;", count: 999)
        #expect(value([others + "__Host-keepsake=x"]) == "x")
        #expect(value([others, "__Host-keepsake=x"]) == "x")
        #expect(value(["__Host-keepsake=x;" + others + "c=d"]) == nil)
        #expect(value(["__Host-keepsake=x", others, "c=d"]) == nil)
    }

    @Test(
        "an image is saved with the file extension of its content type, whatever its uploaded name",
        arguments: [
            ("photo.html", "photo.jpg"), ("photo.JPEG", "photo.JPEG"), ("photo.jpg", "photo.jpg"), ("a.jpg.html", "a.jpg.jpg"),
            ("a.html.", "a.html.jpg"), ("photo", "photo.jpg"), (".html", "file.jpg"), ("x.html ", "x.html .jpg"), ("x.svg", "x.jpg"),
            ("Mai 2024. Am See", "Mai 2024. Am See.jpg"), ("x.ht\u{202E}ml", "x.ht\u{202E}ml.jpg"),
        ])
    func endings(_ name: String, _ expected: String) {
        #expect(FileEnding.name(name, of: "image/jpeg") == expected)
        #expect(!ServedFile.disposition(contentType: "image/jpeg", fileName: name).contains(#"html""#))
    }

    @Test("a file of an unknown content type keeps its name")
    func unknownEnding() { #expect(FileEnding.name("a.tar.gz", of: "application/gzip") == "a.tar.gz") }

    @Test("a Host is accepted if it names the public URL, a listed origin, a loopback name or the connection's local address")
    func names() {
        let origins = AllowedOrigins(
            publicURL: { "https://Keepsake.example.org" }, others: ["https://app.example.org:8443", "http://[2001:db8::7]:80"])
        for host in [
            nil, "keepsake.example.org", "KEEPSAKE.example.org:444", "app.example.org", "[2001:db8::7]:8080", "localhost:8080", "127.0.0.1",
            "127.9.9.9:1", "[::1]:8080", "192.0.2.5:8080", "[::ffff:127.0.0.1]",
        ] as [String?] {
            #expect(origins.isOurs(host, localAddress: "192.0.2.5"), "\(host ?? "none")")
        }
        for host in [
            "evil.example", "evil.example:8080", "keepsake.example.org.evil.example", "127.0.0.1.evil.example", "localhost.evil.example",
            "192.0.2.6", "[2001:db8::8]", "2130706433", "0x7f.1", "", "[::2]", "localhost.",
        ] {
            #expect(!origins.isOurs(host, localAddress: "192.0.2.5"), "\(host)")
        }
        let long = String(repeating: "a.", count: 150) + "org"
        #expect(!AllowedOrigins(publicURL: { "https://\(long)" }).isOurs(long, localAddress: nil), "longer than any name")
    }
}
