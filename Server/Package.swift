// swift-tools-version: 6.2
import PackageDescription

// MARK: - The feature table

/// Every room under Features/, and the rooms it may call. A room that needs a later one listens to the event log instead.
let features: [(name: String, mayCall: [String])] = [
    ("Accounts", []),
    ("Timeline", []),
    ("Search", ["Timeline"]),
    ("Media", ["Accounts", "Timeline", "Search"]),
    ("Moments", ["Media", "Timeline", "Search"]),
    ("Capsules", ["Media", "Timeline", "Search"]),
    ("AccountData", ["Accounts"]),
]

// MARK: - Settings every target shares

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// MARK: - Libraries from elsewhere

let dependencies: [Package.Dependency] = [
    .package(name: "keepsake", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
]

let wire = Target.Dependency.product(name: "KeepsakeWire", package: "keepsake")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }
let nioHTTPTypes: [Target.Dependency] = [
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
]
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

// MARK: - Rooms

/// - Parameter describesRoutes: its `openapi.yaml` is part of the program.
func room(_ name: String, _ path: String, _ dependencies: [Target.Dependency], describesRoutes: Bool = false) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path, resources: describesRoutes ? [.embedInCode("openapi.yaml")] : [],
        swiftSettings: settings)
}
func suite(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: settings)
}

let platform: [Target] = [
    .target(name: "CPlatform", path: "Platform/CPlatform"),
    room("Core", "Platform/Core", [crypto]),
    room("WireJSON", "Platform/WireJSON", [wire]),
    .systemLibrary(
        name: "CPostgres", path: "Platform/CPostgres", pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "CPageClearing", path: "Platform/CPageClearing", linkerSettings: [.linkedLibrary("sqlite3")]),
    room("Database", "Platform/Database", ["Core", "CPageClearing", "CPostgres", grdb, sqlite, crypto]),
    room("Jobs", "Platform/Jobs", ["Core", "Database", logging, lifecycle]),
    room("Mail", "Platform/Mail", ["Core", nio("NIOCore"), nio("NIOPosix"), nio("NIOTLS"), nioSSL]),
    room("Outbound", "Platform/Outbound", [asyncHTTPClient, nio("NIOCore"), nio("NIOHTTP1")]),
    room("Live", "Platform/Live", ["Core", "Database", logging, lifecycle]),
    room("Blobs", "Platform/Blobs", ["Core", "CPlatform", "Database", crypto, logging, lifecycle, nio("NIOCore"), nio("NIOPosix")]),
    .systemLibrary(
        name: "CLibVips", path: "Platform/CMedia/LibVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
    .target(name: "CMediaVips", dependencies: ["CLibVips"], path: "Platform/CMedia/Vips", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(name: "CMedia", path: "Platform/CMedia/Process"),
    room("MediaFrames", "Platform/Media/Frames", ["CMedia"]),
    .target(
        name: "MediaTools",
        dependencies: ["Core", "Blobs", "CMedia", "MediaFrames", logging, lifecycle, nio("NIOCore"), nio("NIOPosix")],
        path: "Platform/Media", exclude: ["Frames"], swiftSettings: settings),
    room(
        "Intelligence", "Platform/Intelligence",
        ["Core", "MediaTools", "Outbound", nio("NIOCore"), nio("NIOFoundationCompat"), nio("NIOHTTP1")]),
    room(
        "Web", "Platform/Web",
        [
            wire, "WireJSON", "Core", "CPlatform", "Database", "Blobs", "Jobs", "Live", hummingbird, hummingbirdCore, httpTypes, logging,
            lifecycle,
            crypto,
            nio("NIOCore"), nio("NIOPosix"), nio("NIOHTTP1"), nio("NIOTLS"), nio("NIOFoundationCompat"), nio("NIOWebSocket"),
            nioHTTP2, nioSSL, yams,
        ] + nioHTTPTypes, describesRoutes: true),
    room(
        "TestKit", "Platform/TestKit",
        [
            "Core", "CPostgres", "Database", "Blobs", "Jobs", "Live", wire, crypto, logging, lifecycle, nio("NIOCore"), nio("NIOPosix"),
            nioSSL,
        ]),
    .target(name: "CFaultyVFS", path: "Platform/CFaultyVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
]

let featureRooms: [Target] = features.map { feature in
    room(
        feature.name, "Features/\(feature.name)",
        [
            wire, "Core", "Database", "Blobs", "Jobs", "Live", "Mail", "MediaTools", "MediaFrames", "Web", crypto, cryptoExtras, jwt,
            logging, lifecycle, nio("NIOCore"), nio("NIOFoundationCompat"), nio("NIOHTTP1"), nio("NIOPosix"), "Intelligence", "Outbound",
        ]
            + feature.mayCall.map { .target(name: $0) },
        describesRoutes: true)
}
let allFeatures: [Target.Dependency] = features.map { .target(name: $0.name) }

/// The web console: its pages, as bytes of the program, and who serves them. It knows the API by its public routes only.
let console: [Target] = [
    .target(name: "CConsole", path: "Console/Bundle"),
    room("Console", "Console/Serve", ["CConsole", "Core", "Web", hummingbird, httpTypes, nio("NIOCore")]),
]

let apps: [Target] = [
    .executableTarget(
        name: "keepsake",
        dependencies: [
            wire, "Core", "Database", "Blobs", "Jobs", "Live", "Mail", "MediaTools", "Intelligence", "Outbound", "Web", "Console",
            hummingbird, logging, lifecycle,
            argumentParser,
            .product(name: "Configuration", package: "swift-configuration"),
        ] + allFeatures,
        path: "Apps/keepsake",
        swiftSettings: settings),
    .executableTarget(
        name: "keepsake-media", dependencies: ["CMedia", "CMediaVips", "MediaFrames"], path: "Apps/keepsake-media", swiftSettings: settings),
    .executableTarget(
        name: "list-bench", dependencies: ["TestKit", wire], path: "Benchmarks/Lists", swiftSettings: settings),
    .executableTarget(
        name: "row-bench", dependencies: ["Core", "Database", "TestKit"], path: "Benchmarks/Rows", swiftSettings: settings),
    .executableTarget(
        name: "variant-bench", dependencies: ["MediaTools", "MediaFrames", lifecycle, logging], path: "Benchmarks/Variants",
        exclude: ["corpus.py", "likeness.py", "peers.py", "run.py", "run.sh"], swiftSettings: settings),
]

let tests: [Target] = [
    suite(
        "PlatformTests",
        [
            "Core", "CPlatform", "CFaultyVFS", "Database", "Blobs", "Jobs", "MediaTools", "MediaFrames", "CMedia", "keepsake-media", "Live",
            "Intelligence", "Mail", "Outbound", "Web", "TestKit", wire, "WireJSON", crypto, grdb, hummingbird, httpTypes,
            lifecycle,
            logging,
            nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"),
        ],
        exclude: ["Media/Fixtures", "Media/make-fixtures.sh", "Media/turn-heic.py", "Media/slow-tool.sh", "Wire/Golden"]),
    suite(
        "FeatureTests",
        [
            "Core", "Database", "Blobs", "Jobs", "Live", "Mail", "MediaTools", "MediaFrames", "Intelligence", "Outbound", "Web", "Console",
            "TestKit",
            wire,
            "keepsake",
            "keepsake-media",
            httpTypes, logging, lifecycle, crypto, cryptoExtras, jwt,
            argumentParser,
            asyncHTTPClient, hummingbird,
            nio("NIOCore"), nio("NIOHTTP1"),
        ] + allFeatures,
        exclude: ["Media/Fixtures", "Document/Golden"]),
    suite(
        "EndToEndTests",
        [
            "Core", "Database", "MediaTools", "TestKit", wire, "keepsake", "keepsake-media", crypto, asyncHTTPClient, yams,
            nio("NIOCore"),
            nio("NIOHTTP1"), nio("NIOFoundationCompat"), nio("NIOPosix"),
        ],
        exclude: ["Console/browser", "WebSocket/listen.py", "FrontDoor/peers.py"]),
]

let package = Package(
    name: "keepsake-server",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "keepsake", targets: ["keepsake"])],
    dependencies: dependencies,
    targets: platform + featureRooms + console + apps + tests,
    swiftLanguageModes: [.v6]
)
