// swift-tools-version: 6.1
import PackageDescription

// The client library, which apps depend on. The server is a separate package in Server/. For each app, SwiftPM resolves every dependency
// that this manifest names, so it must name only what an app needs.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "keepsake",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "KeepsakeWire", targets: ["KeepsakeWire"]),
        .library(name: "KeepsakeKit", targets: ["KeepsakeKit"]),
        .library(name: "KeepsakeTesting", targets: ["KeepsakeTesting"]),
    ],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.8.0")],
    targets: [
        .target(
            name: "KeepsakeWire", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")], path: "Kit/KeepsakeWire",
            swiftSettings: settings),
        .target(
            name: "KeepsakeKit", dependencies: ["KeepsakeWire", .product(name: "HTTPTypes", package: "swift-http-types")],
            path: "Kit/KeepsakeKit", swiftSettings: settings),
        // An in-memory server for apps' own tests. Only test targets should depend on it.
        .target(
            name: "KeepsakeTesting",
            dependencies: ["KeepsakeKit", "KeepsakeWire", .product(name: "HTTPTypes", package: "swift-http-types")],
            path: "Kit/KeepsakeTesting", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
