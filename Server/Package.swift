// swift-tools-version: 6.2
import PackageDescription

// Every dependency list below names exactly the modules that the target's sources import. The build refuses an import that is missing here,
// and scripts/unused-edges (part of `make lint`) refuses an entry that no source imports. The tests of the whole server share one list.

// MARK: - The feature table

/// The features: each one's folder under Features/, the modules that its sources import, and the features that it may call. If a feature
/// must react to a feature further down the list, it subscribes to the event log.
let features: [(name: String, uses: [String], calls: [String])] = [
    (
        name: "Accounts",
        uses: [
            "KeepsakeWire", "Core", "Database", "FeatureKit", "Jobs", "Mail", "Outbound", "Phone", "Web", "Crypto", "CryptoExtras",
            "JWTKit", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle",
        ],
        calls: []
    ),
    (name: "Timeline", uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Web"], calls: []),
    (
        name: "Search",
        uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Web", "Crypto", "Logging", "ServiceLifecycle"],
        calls: []
    ),
    (
        name: "Media",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Jobs", "Live", "MediaFrames", "MediaTools", "Web", "Logging",
            "NIOCore", "ServiceLifecycle",
        ],
        calls: ["Accounts", "Search"]
    ),
    (
        name: "Moments",
        uses: ["KeepsakeWire", "WireJSON", "Core", "Database", "Blobs", "FeatureKit", "Live", "Web"],
        calls: ["Media", "Search"]
    ),
    (
        name: "Capsules",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Intelligence", "Jobs", "Live", "MediaFrames", "MediaTools", "Web",
        ],
        calls: ["Media", "Search"]
    ),
    (
        name: "People",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Jobs", "Live", "Phone", "Web", "Crypto", "Logging",
            "ServiceLifecycle",
        ],
        calls: ["Accounts", "Media"]
    ),
    (
        name: "Coves",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Jobs", "Live", "Phone", "Web", "Crypto", "Logging", "NIOCore",
            "ServiceLifecycle",
        ],
        calls: ["Accounts", "Media", "People"]
    ),
    (
        name: "Captures",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Intelligence", "Jobs", "Live", "MediaTools", "Web", "Crypto",
            "Logging", "ServiceLifecycle",
        ],
        calls: ["Accounts", "Media", "Search"]
    ),
    (
        name: "Ask",
        uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Intelligence", "Web"],
        calls: ["Search"]
    ),
    (
        name: "Chat",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Intelligence", "Jobs", "Live", "MediaFrames", "MediaTools",
            "Outbound", "Web", "Logging", "NIOCore", "ServiceLifecycle",
        ],
        calls: ["Ask", "Media", "Search"]
    ),
    (
        name: "Installation",
        uses: ["KeepsakeWire", "Core", "Database", "FeatureKit", "Jobs", "Nodes", "Outbound", "Web", "Logging"],
        calls: []
    ),
    (
        name: "AccountData",
        uses: ["KeepsakeWire", "Core", "Database", "Blobs", "FeatureKit", "Jobs", "Web", "Crypto", "Logging"],
        calls: ["Accounts", "Media"]
    ),
]

// MARK: - Libraries

let dependencies: [Package.Dependency] = [
    .package(name: "keepsake", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["YAML"]),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
]

/// The modules that targets import from each package. Each module is a product of the same name.
let packages: [String: [String]] = [
    "async-http-client": ["AsyncHTTPClient"],
    "GRDB.swift": ["GRDB", "GRDBSQLite"],
    "hummingbird": ["Hummingbird", "HummingbirdCore"],
    "jwt-kit": ["JWTKit"],
    "keepsake": ["KeepsakeKit", "KeepsakeTesting", "KeepsakeWire"],
    "swift-argument-parser": ["ArgumentParser"],
    "swift-collections": ["DequeModule", "HeapModule"],
    "swift-configuration": ["Configuration"],
    "swift-crypto": ["Crypto", "CryptoExtras"],
    "swift-http-types": ["HTTPTypes"],
    "swift-log": ["Logging"],
    "swift-nio": ["NIOConcurrencyHelpers", "NIOCore", "NIOFoundationCompat", "NIOHTTP1", "NIOPosix", "NIOTLS", "NIOWebSocket"],
    "swift-nio-extras": ["NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOHTTPTypesHTTP2"],
    "swift-nio-http2": ["NIOHTTP2"],
    "swift-nio-ssl": ["NIOSSL"],
    "swift-service-lifecycle": ["ServiceLifecycle", "UnixSignals"],
    "swift-system": ["SystemPackage"],
    "Yams": ["Yams"],
]

// MARK: - Kinds of target

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Turns the names of modules into dependencies: products of other packages, or targets of this one.
func modules(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        if let package = packages.first(where: { $0.value.contains(name) })?.key { return .product(name: name, package: package) }
        return .target(name: name)
    }
}

/// A library target.
/// - Parameters:
///   - path: the target's folder; default Platform/ and its name.
///   - describesRoutes: whether the compiler embeds the folder's `openapi.yaml` in the program.
func module(
    _ name: String, _ path: String? = nil, uses: [String], exclude: [String] = [], describesRoutes: Bool = false,
    linkerSettings: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: modules(uses), path: path ?? "Platform/\(name)", exclude: exclude,
        resources: describesRoutes ? [.embedInCode("openapi.yaml")] : [], swiftSettings: settings, linkerSettings: linkerSettings)
}

/// - Parameter swiftSettings: `quick` for a program that spends most of its time in other modules.
func program(
    _ name: String, _ path: String, uses: [String], exclude: [String] = [], swiftSettings: [SwiftSetting] = settings
) -> Target {
    .executableTarget(name: name, dependencies: modules(uses), path: path, exclude: exclude, swiftSettings: swiftSettings)
}

/// Turns off optimisation in debug builds, which `make test` turns on for the code under test (TEST_FLAGS). For tests, and for the module
/// that is compiled again after each edit, it would only cost time. The last flag counts, and the driver puts front-end flags last.
let quick = settings + [.unsafeFlags(["-Xfrontend", "-Onone"], .when(configuration: .debug))]

/// Selects LLVM's linker, which comes with Swift and is much faster. It links each program that contains a module with this setting.
let quickLinking: [LinkerSetting] = [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux], configuration: .debug))]

/// - Parameter runs: the programs that the tests start, so that SwiftPM builds them with the tests.
func suite(_ name: String, uses: [String], runs: [String] = [], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: modules(uses + runs), path: "Tests/\(name)", exclude: exclude, swiftSettings: quick)
}

// MARK: - Platform: depends on no feature

let platform: [Target] = [
    module("Core", uses: ["Crypto", "DequeModule"], linkerSettings: quickLinking),
    .target(name: "CPlatform", path: "Platform/CPlatform"),
    module("WireJSON", uses: ["KeepsakeWire"]),
    module("Database", uses: ["Core", "Crypto", "DequeModule", "HeapModule", "NIOConcurrencyHelpers"]),
    module("Jobs", uses: ["Core", "Database", "Crypto", "Logging", "ServiceLifecycle"]),
    module("Live", uses: ["Core", "Database", "Logging", "NIOConcurrencyHelpers", "ServiceLifecycle"]),
    module("Nodes", uses: ["Core", "Database", "Logging", "ServiceLifecycle"]),
    module("Connections", uses: ["NIOCore", "NIOPosix"]),
    module("Mail", uses: ["Connections", "Core", "NIOCore", "NIOPosix", "NIOSSL", "NIOTLS"]),
    // A separate library, which Phone opens by its path when it reads the first number; so no target depends on it. The flags keep Swift's
    // runtime out of it, so that it also works beside a program that contains the runtime (--static-swift-stdlib).
    .target(
        name: "CPhone", path: "Platform/CPhone",
        linkerSettings: [
            .linkedLibrary("phonenumber"), .unsafeFlags(["-static-stdlib", "-nostartfiles"], .when(platforms: [.linux])),
        ]),
    module("Phone", uses: ["Core"]),
    // Copies, backups and restores of whole installations. It knows tables only from the database's catalogue and from their owners.
    module("Transfer", uses: ["Core", "Blobs", "Database", "S3Blobs", "Crypto", "Logging", "NIOCore", "NIOPosix"]),
    // The client library's transport for programs on Linux: the command line, campaigns and tests.
    module(
        "KitTransport",
        uses: [
            "KeepsakeKit", "AsyncHTTPClient", "HTTPTypes", "NIOCore", "NIOFoundationCompat", "NIOHTTP1", "NIOPosix", "NIOSSL",
            "NIOWebSocket",
        ]),
    module("Outbound", uses: ["AsyncHTTPClient", "Core", "Database", "NIOCore", "NIOFoundationCompat", "NIOHTTP1"]),
    module("Blobs", uses: ["Core", "CPlatform", "Database", "Crypto", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle"]),
    module("S3Blobs", uses: ["Core", "Blobs", "AsyncHTTPClient", "Crypto", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL"]),
    .systemLibrary(
        name: "CLibVips", path: "Platform/CMedia/LibVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
    .target(
        name: "CMediaVips", dependencies: ["CLibVips"], path: "Platform/CMedia/Vips",
        linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("z")]),
    .target(name: "CMedia", path: "Platform/CMedia/Process"),
    module("MediaFrames", "Platform/Media/Frames", uses: ["CMedia"]),
    module(
        "MediaTools", "Platform/Media",
        uses: ["Connections", "Core", "Blobs", "CMedia", "MediaFrames", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle"],
        exclude: ["Frames"]),
    module("Intelligence", uses: ["Core", "MediaFrames", "MediaTools", "Outbound", "NIOCore", "NIOFoundationCompat"]),
    module(
        "HTTPServer",
        uses: [
            "Core", "CPlatform", "DequeModule", "HTTPTypes", "HummingbirdCore", "Logging", "NIOCore", "NIOHTTP1", "NIOHTTP2",
            "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOHTTPTypesHTTP2", "NIOPosix", "NIOSSL", "NIOTLS",
        ]),
    module(
        "Web",
        uses: [
            "KeepsakeWire", "WireJSON", "Core", "CPlatform", "Database", "Blobs", "Live", "HTTPServer", "Crypto", "HTTPTypes",
            "Hummingbird", "HummingbirdCore", "Logging", "NIOCore", "NIOFoundationCompat", "NIOHTTPTypes", "NIOPosix", "NIOWebSocket",
            "ServiceLifecycle", "Yams",
        ], describesRoutes: true),
]

/// The database engines behind `Database`. Programs and tests import them; features and `Web` do not.
let engines: [Target] = [
    .target(name: "CPassThroughVFS", path: "Platform/CPassThroughVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
        name: "CPageClearing", dependencies: ["CPassThroughVFS"], path: "Platform/CPageClearing",
        linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CSQLiteOptions", path: "Platform/CSQLiteOptions", linkerSettings: [.linkedLibrary("sqlite3")]),
    module(
        "SQLiteEngine",
        uses: ["Core", "CPageClearing", "CPlatform", "CSQLiteOptions", "Database", "GRDB", "GRDBSQLite", "NIOConcurrencyHelpers"]
    ),
    .systemLibrary(
        name: "CPostgres", path: "Platform/CPostgres", pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    module("PostgresEngine", uses: ["Core", "CPostgres", "Database", "Crypto", "NIOConcurrencyHelpers"]),
    module("DatabaseEngines", uses: ["Core", "Database", "PostgresEngine", "SQLiteEngine"]),
]

/// Targets that several test suites share.
let testSupport: [Target] = [
    // The interface between a feature and the server: the protocol, the context that a feature gets, and what a feature registers.
    module(
        "FeatureKit",
        uses: [
            "KeepsakeWire", "Core", "Database", "Blobs", "Jobs", "Live", "Nodes", "Outbound", "Transfer", "Web", "Logging",
            "ServiceLifecycle",
        ]),
    module(
        "TestKit",
        uses: [
            "KeepsakeWire", "Core", "CPostgres", "Database", "DatabaseEngines", "SQLiteEngine", "Blobs", "S3Blobs", "Jobs", "Live",
            "AsyncHTTPClient", "Crypto", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "ServiceLifecycle",
        ]),
    // An app with an offline queue. The tests of the client library start and kill it.
    program("queue-client", "Tests/QueueClient", uses: ["KeepsakeKit", "KitTransport"]),
    .target(
        name: "CFaultyVFS", dependencies: ["CPassThroughVFS"], path: "Platform/CFaultyVFS",
        linkerSettings: [.linkedLibrary("sqlite3")]),
]

// MARK: - Features and console

let featureTargets: [Target] = features.map { feature in
    module(feature.name, "Features/\(feature.name)", uses: feature.uses + feature.calls, describesRoutes: true)
}

/// The web console: its pages, embedded in the program, and the routes that serve them. It uses only the API's public routes.
let console: [Target] = [
    .target(name: "CConsole", path: "Console/Bundle"),
    module("Console", "Console/Serve", uses: ["CConsole", "Core", "Web", "HTTPTypes", "Hummingbird"]),
]

// MARK: - Programs

let programs: [Target] = [
    program(
        "keepsake", "Apps/keepsake",
        uses: [
            "KeepsakeKit", "KeepsakeWire", "KitTransport", "Core", "Database", "DatabaseEngines", "Blobs", "S3Blobs", "FeatureKit", "Jobs",
            "Live", "HTTPServer", "Mail", "Nodes", "MediaTools", "Intelligence", "Outbound", "Phone", "Transfer", "Web", "Console",
            "ArgumentParser", "Configuration", "Hummingbird", "Logging", "NIOCore", "NIOPosix", "ServiceLifecycle", "SystemPackage",
            "UnixSignals", "Yams",
        ] + features.map(\.name), swiftSettings: quick),
    program("keepsake-media", "Apps/keepsake-media", uses: ["CMedia", "CMediaVips", "MediaFrames"]),
]

let benchmarks: [Target] = [
    program("list-bench", "Benchmarks/Lists", uses: ["KeepsakeWire", "TestKit", "WireJSON"]),
    program("row-bench", "Benchmarks/Rows", uses: ["Core", "Database", "DatabaseEngines", "TestKit"]),
    program(
        "variant-bench", "Benchmarks/Variants", uses: ["MediaFrames", "MediaTools", "Logging", "ServiceLifecycle"],
        exclude: ["corpus.py", "likeness.py", "peers.py", "run.py", "run.sh"]),
]

// MARK: - Tests

/// Builds only one test target, by `make test ONLY=Moments`: SwiftPM links all tests into one program. Nil builds all, and the benchmarks.
let only = Context.environment["KEEPSAKE_TEST_ONLY"].flatMap { $0.isEmpty ? nil : $0 }

/// The modules that tests of the whole server may import. All of them share this list, so that a new feature needs no list of its own.
let wholeServer = [
    "KeepsakeWire", "Core", "Database", "DatabaseEngines", "SQLiteEngine", "Blobs", "S3Blobs", "FeatureKit", "HTTPServer", "Jobs", "Live",
    "Mail", "MediaTools", "MediaFrames", "Intelligence", "Outbound", "Transfer", "Web", "Console", "TestKit", "TestThreads", "keepsake",
    "ArgumentParser", "AsyncHTTPClient", "Crypto", "CryptoExtras", "HTTPTypes", "Hummingbird", "Logging", "NIOCore", "NIOHTTP1",
    "ServiceLifecycle",
]

/// A test target that runs against the whole server. It tests one feature, or code that all features share.
func serverSuite(_ name: String, uses: [String] = ["FeatureTestKit"], runs: [String] = [], exclude: [String] = []) -> Target {
    suite(
        name, uses: wholeServer + features.map(\.name).filter { $0 != "Timeline" } + uses, runs: ["keepsake-media"] + runs,
        exclude: exclude)
}

let featureTests: [Target] = features.map { serverSuite("\($0.name)Tests", exclude: $0.name == "Chat" ? ["Golden"] : []) }
let otherTests: [Target] = [
    serverSuite("QualityTests", exclude: ["Sets"]),
    suite(
        "PlatformTests",
        uses: [
            "KeepsakeWire", "WireJSON", "Connections", "Core", "CFaultyVFS", "CMedia", "Database", "DatabaseEngines", "PostgresEngine",
            "SQLiteEngine", "Blobs", "S3Blobs", "HTTPServer", "Jobs", "MediaTools", "MediaFrames", "Live", "Intelligence", "Mail",
            "Nodes", "Outbound", "Phone", "Transfer", "Web", "TestKit", "TestThreads", "AsyncHTTPClient", "Crypto", "GRDB", "HTTPTypes",
            "Hummingbird", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix", "ServiceLifecycle",
        ],
        runs: ["keepsake-media"],
        exclude: [
            "Media/Fixtures", "Media/make-fixtures.sh", "Media/make-positions.py", "Media/turn-heic.py", "Media/slow-tool.sh",
            "Wire/Golden",
        ]),
    serverSuite("ServerTests", exclude: ["Document/Golden"]),
    serverSuite("KitTests", uses: ["FeatureTestKit", "KeepsakeKit", "KeepsakeTesting", "KitTransport"], runs: ["queue-client"]),
    suite(
        "EndToEndTests",
        uses: [
            "KeepsakeKit", "KeepsakeWire", "Core", "Database", "DatabaseEngines", "S3Blobs", "MediaTools", "TestKit", "TestThreads",
            "Transfer", "keepsake", "Captures", "ArgumentParser", "AsyncHTTPClient", "Crypto", "Logging", "NIOCore", "NIOFoundationCompat",
            "NIOHTTP1", "NIOPosix", "ServiceLifecycle", "Yams",
        ],
        runs: ["keepsake-media"],
        exclude: [
            "ChatFiles/polyglots.py", "Console/browser", "Coves/read_calendar.py", "Coves/requirements.txt", "GeneratedClient/flow.py",
            "GeneratedClient/generators.txt", "GeneratedClient/requirements.txt", "HTTP/peers.py", "Inputs/driver", "Models/llama.py",
            "Models/requirements.txt", "WebSocket/listen.py", "Nodes/postgres-pair.sh", "Package/run_unit.py",
        ]),
]

/// The server under test, and helpers for the tests of several features. It is a test target without tests, because it uses the program's
/// internal declarations, which are not visible in a release build.
let featureTestKit = serverSuite("FeatureTestKit", uses: [])
/// Traits of suites. This is a test target, because only test targets can import Testing on every system.
let testThreads = suite("TestThreads", uses: ["TestKit"])

let chosenTests: [Target] =
    (featureTests + otherTests).filter { only == nil || $0.name == "\(only!)Tests" } + [featureTestKit, testThreads]

let targets = Array(
    [platform, engines, testSupport, featureTargets, console, programs, only == nil ? benchmarks : [], chosenTests].joined())

let package = Package(
    name: "keepsake-server",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "keepsake", targets: ["keepsake"]),
        // This product is libkeepsake-phone.so.
        .library(name: "keepsake-phone", type: .dynamic, targets: ["CPhone"]),
    ],
    dependencies: dependencies,
    targets: targets,
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
