// swift-tools-version: 6.1
import PackageDescription

// The client library, which apps depend on. The server is a package of its own in Server/: SwiftPM resolves all that a package's manifest
// names, so nothing may stand here that an app on a phone does not need.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "keepsake",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "KeepsakeWire", targets: ["KeepsakeWire"])],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")],
    targets: [
        .target(
            name: "KeepsakeWire", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")], path: "Kit/KeepsakeWire",
            swiftSettings: settings)
    ],
    swiftLanguageModes: [.v6]
)
