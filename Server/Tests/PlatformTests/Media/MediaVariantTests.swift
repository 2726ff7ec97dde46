import CMedia
import Core
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

@Suite("Image variants", .blocksThreads)
struct MediaVariantTests {
    static let stored =
        (1...8).flatMap { number in ["jpg", "png", "webp"].map { "upright-\(number).\($0)" } } + [
            "upright-irot.heic", "upright-irot-exif.heic", "wide.png",
        ]

    @Test("A picture in any of EXIF's eight orientations, or rotated by its HEIC, comes out upright", arguments: [true, false])
    func upright(_ isWhole: Bool) async throws {
        try await WorkerFixture.run { workers in
            for name in Self.stored {
                let bytes = try WorkerFixture.bytes(name, in: WorkerFixture.own)
                let facts = try await workers.inspect(bytes)
                #expect((facts.width, facts.height) == (96, 64), "\(name)")
                let side = isWhole ? 96 : 48
                let variant = try await workers.variant(bytes, VariantRequest(width: side, height: side, format: .webp, quality: 90))
                let seen = try WorkerFixture.look(variant.bytes, "webp")
                #expect((seen.width, seen.height) == (side, side * 2 / 3), "\(name)")
                #expect((variant.width, variant.height) == (seen.width, seen.height))
                #expect(seen.isUpright, "\(name): \(seen.quarters)")
            }
        }
    }

    @Test("A variant is cropped to the box or fits into it, is upright, and is never enlarged")
    func sizes() async throws {
        try await WorkerFixture.run { workers in
            // 480 by 640 when upright.
            let photo = try WorkerFixture.bytes("photo.jpg")
            let cases: [(VariantRequest, Int, Int)] = [
                (VariantRequest(width: 300, height: 300, format: .jpeg), 225, 300),
                (VariantRequest(width: 100, height: 8192, format: .jpeg), 100, 133),
                (VariantRequest(width: 2000, height: 2000, format: .jpeg), 480, 640),
                (VariantRequest(width: 200, height: 200, fit: .cover, format: .jpeg), 200, 200),
                (VariantRequest(width: 400, height: 100, fit: .cover, format: .jpeg), 400, 100),
                // The largest crop of 2:1.
                (VariantRequest(width: 2000, height: 1000, fit: .cover, format: .jpeg), 480, 240),
                (VariantRequest(width: 1, height: 1, format: .jpeg), 1, 1),
            ]
            for (request, width, height) in cases {
                let variant = try await workers.variant(photo, request)
                #expect((variant.width, variant.height) == (width, height), "\(request)")
                let made = try await workers.inspect(variant.bytes)
                #expect(made == MediaInspectionTests.facts(.jpeg, width, height))
            }
        }
    }

    @Test("Every image format converts to every variant format")
    func formats() async throws {
        let kinds: [VariantRequest.Format: PictureKind] = [.jpeg: .jpeg, .webp: .webp, .avif: .avif]
        try await WorkerFixture.run { workers in
            for (name, facts) in MediaInspectionTests.kinds {
                for format in VariantRequest.Format.allCases {
                    let variant = try await workers.variant(
                        WorkerFixture.bytes(name), VariantRequest(width: 16, height: 16, format: format))
                    let made = try await workers.inspect(variant.bytes)
                    #expect(made.kind == kinds[format], "\(name)")
                    #expect(made.width <= 16 && made.height <= 16 && made.frames == 1, "\(name)")
                    #expect(!made.hasAlpha || facts.hasAlpha, "\(name)")
                    #expect(!made.hasAlpha || format != .jpeg, "\(name)")
                }
            }
        }
    }

    @Test("A variant contains no EXIF, no location and no profile")
    func metadata() async throws {
        let marks = [
            "Exif", "EXIF", "eXIf", "GPS", "Keepsake", "2025:06:14", "ICC_PROFILE", "ICCP", "http://ns.adobe.com", "Test Camera", "prof",
        ]
        try await WorkerFixture.run { workers in
            let places = [("photo.jpg", WorkerFixture.kinds), ("upright-6.webp", WorkerFixture.own), ("upright-6.png", WorkerFixture.own)]
            for (name, folder) in places {
                let photo = try WorkerFixture.bytes(name, in: folder)
                #expect(Self.contains(photo, "Keepsake"), "the picture has something to lose")
                for format in VariantRequest.Format.allCases {
                    let variant = try await workers.variant(photo, VariantRequest(width: 200, height: 200, format: format))
                    let bytes = try variant.bytes
                    for mark in marks { #expect(!Self.contains(bytes, mark), "\(mark) in \(format)") }
                    let made = try await workers.inspect(variant.bytes)
                    #expect(made.captureTime == nil)
                }
            }
        }
    }

    @Test("A request out of range is refused before a worker gets it")
    func ranges() async throws {
        try await WorkerFixture.run { workers in
            let photo = try WorkerFixture.bytes("photo.jpg")
            for (width, height, quality) in [(0, 1, 80), (1, 0, 80), (8193, 1, 80), (1, 8193, 80), (1, 1, 0), (1, 1, 101), (-1, .max, 80)] {
                let request = VariantRequest(width: width, height: height, format: .jpeg, quality: quality)
                let problem = await #expect(throws: Problem.self) { try await workers.variant(photo, request) }
                #expect(problem?.kind == .invalid)
            }
        }
    }

    static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }
}
