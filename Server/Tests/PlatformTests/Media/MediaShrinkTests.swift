import Core
import Foundation
import MediaFrames
import MediaTools
import TestThreads
import Testing

/// The worker shrinks JPEGs with its own code; libvips in another process computes the reference.
@Suite("JPEG shrinking", .blocksThreads)
struct MediaShrinkTests {
    /// Runs `body` with a folder that contains a picture of slightly more than two megapixels, which is the source of the tests' pictures.
    private static func workbench(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "keepsake-shrink-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try WorkerFixture.tool("vips", ["resize", WorkerFixture.kinds.path + "/photo.jpg", "\(folder)/big.v", "2.635"])
        try WorkerFixture.tool(
            "vips", ["jpegsave", "\(folder)/big.v", "\(folder)/colour.jpg", "--Q", "92", "--strip", "--subsample-mode", "on"])
        try await body(folder)
    }

    private static func variant(_ name: String, _ folder: String, _ request: VariantRequest, _ workers: MediaWorkers) async throws
        -> ImageVariant
    {
        try await workers.variant([UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))), request)
    }

    /// The average difference between the samples of two pictures, in 0...255.
    private static func distance(_ variant: ImageVariant, from reference: String, _ folder: String) throws -> Double {
        try Data(variant.bytes).write(to: URL(filePath: "\(folder)/ours.jpg"))
        // Saves the reference as JPEG too, so that both have the same loss.
        try WorkerFixture.tool("vips", ["jpegsave", reference, "\(folder)/theirs.jpg", "--Q", "100", "--strip"])
        try WorkerFixture.tool("vips", ["subtract", "\(folder)/ours.jpg", "\(folder)/theirs.jpg", "\(folder)/difference.v"])
        try WorkerFixture.tool("vips", ["abs", "\(folder)/difference.v", "\(folder)/size.v"])
        let text = try WorkerFixture.tool("vips", ["avg", "\(folder)/size.v"])
        return try #require(Double(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The slow but exact reference: decodes every pixel, crops the centre, and resizes by Lanczos in one step.
    private static func reference(_ source: String, _ folder: String, _ variant: ImageVariant, _ fit: VariantRequest.Fit) throws -> String {
        var (width, height) = (1686.0, 1265.0)
        let (across, down) = (width / Double(variant.width), height / Double(variant.height))
        var whole = "\(folder)/\(source)"
        if fit == .cover {
            let shrink = min(across, down)
            let (cutWidth, cutHeight) = (
                min(width, (shrink * Double(variant.width)).rounded()), min(height, (shrink * Double(variant.height)).rounded())
            )
            let corner = [(width - cutWidth) / 2, (height - cutHeight) / 2, cutWidth, cutHeight].map { String(Int($0)) }
            try WorkerFixture.tool("vips", ["extract_area", whole, "\(folder)/cut.v"] + corner)
            whole = "\(folder)/cut.v"
            (width, height) = (cutWidth, cutHeight)
        }
        // Resizes in floating point. With 8-bit samples, libvips rounds its weights, and at a twentieth of the size that error exceeds the
        // tolerance.
        try WorkerFixture.tool("vips", ["cast", whole, "\(folder)/exact.v", "float"])
        let scale = [String(Double(variant.width) / width), "--vscale", String(Double(variant.height) / height), "--gap", "0"]
        try WorkerFixture.tool("vips", ["resize", "\(folder)/exact.v", "\(folder)/reference.v"] + scale)
        return "\(folder)/reference.v"
    }

    @Test("The result equals libvips' result from the whole picture, at any size")
    func sizes() async throws {
        try await Self.workbench { folder in
            try WorkerFixture.tool("vips", ["colourspace", "\(folder)/big.v", "\(folder)/grey.jpg[Q=92,strip]", "b-w"])
            try WorkerFixture.tool(
                "vips", ["jpegsave", "\(folder)/big.v", "\(folder)/whole.jpg", "--Q", "92", "--strip", "--subsample-mode", "off"])
            try WorkerFixture.tool("vips", ["jpegsave", "\(folder)/big.v", "\(folder)/scans.jpg", "--Q", "92", "--strip", "--interlace"])
            try await WorkerFixture.run { workers in
                for source in ["colour.jpg", "grey.jpg", "whole.jpg", "scans.jpg"] {
                    var worst = 0.0
                    for side in source == "colour.jpg" ? [5000, 700, 301, 150, 20] : [700, 150] {
                        for fit in VariantRequest.Fit.allCases {
                            let request = VariantRequest(width: side, height: side, fit: fit, format: .jpeg, quality: 100)
                            let variant = try await Self.variant(source, folder, request, workers)
                            let distance = try Self.distance(variant, from: Self.reference(source, folder, variant, fit), folder)
                            worst = max(worst, distance)
                            // Two JPEGs of quality 100 differ by up to 1; a shift by half a pixel would cause 1.6 or more.
                            #expect(distance < 1.2, "\(source), \(side), \(fit): \(distance)")
                        }
                    }
                    print("\(source): at most \(worst) of 255 from the reference on average")
                }
            }
        }
    }

    @Test("Colours follow the embedded profile")
    func profile() async throws {
        try await Self.workbench { folder in
            try WorkerFixture.tool("vips", ["icc_transform", "\(folder)/big.v", "\(folder)/wide.v", "p3", "--input-profile", "srgb"])
            try WorkerFixture.tool("vips", ["jpegsave", "\(folder)/wide.v", "\(folder)/wide.jpg", "--Q", "92"])
            let size = ["\(folder)/wide.jpg", "\(folder)/reference.v", "300", "--height", "300"]
            try await WorkerFixture.run { workers in
                let request = VariantRequest(width: 300, height: 300, format: .jpeg, quality: 100)
                let variant = try await Self.variant("wide.jpg", folder, request, workers)
                try WorkerFixture.tool("vips", ["thumbnail"] + size + ["--export-profile", "srgb"])
                let right = try Self.distance(variant, from: "\(folder)/reference.v", folder)
                try WorkerFixture.tool("vips", ["thumbnail"] + size)
                let wrong = try Self.distance(variant, from: "\(folder)/reference.v", folder)
                print("with its profile \(right), without \(wrong) of 255")
                #expect(right < 1.6)
                #expect(wrong > right + 1, "the profile makes a difference")
            }
        }
    }

    @Test("A picture far longer than wide keeps a width of at least one pixel")
    func thin() async throws {
        try await Self.workbench { folder in
            try WorkerFixture.tool("vips", ["gaussnoise", "\(folder)/noise.v", "20000", "3", "--mean", "128", "--sigma", "20"])
            try WorkerFixture.tool("vips", ["cast", "\(folder)/noise.v", "\(folder)/thin.jpg[Q=80,strip]", "uchar"])
            try await WorkerFixture.run { workers in
                for (fit, width, height) in [(VariantRequest.Fit.contain, 300, 1), (.cover, 3, 3)] {
                    let variant = try await Self.variant(
                        "thin.jpg", folder, VariantRequest(width: 300, height: 300, fit: fit, format: .jpeg), workers)
                    #expect((variant.width, variant.height) == (width, height))
                }
            }
        }
    }

    @Test("A picture thinner than a pixel of its copy keeps its brightness")
    func brightness() async throws {
        try await Self.workbench { folder in
            try WorkerFixture.tool("vips", ["black", "\(folder)/black.v", "1284", "4"])
            try WorkerFixture.tool("vips", ["linear", "\(folder)/black.v", "\(folder)/thin.jpg[Q=90,strip]", "1", "150", "--uchar"])
            try await WorkerFixture.run { workers in
                let request = VariantRequest(width: 20, height: 20, format: .jpeg, quality: 100)
                let variant = try await Self.variant("thin.jpg", folder, request, workers)
                try Data(variant.bytes).write(to: URL(filePath: "\(folder)/ours.jpg"))
                let mean = try WorkerFixture.tool("vips", ["avg", "\(folder)/ours.jpg"])
                #expect(try abs(#require(Double(mean.trimmingCharacters(in: .whitespacesAndNewlines))) - 150) < 2, "\(mean)")
            }
        }
    }

    @Test("A damaged picture is shown as far as it can be read, at any size, and a truncated one is refused")
    func damage() async throws {
        try await Self.workbench { folder in
            let whole = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/colour.jpg")))
            let middle = whole.count / 2
            try await WorkerFixture.run { workers in
                for side in [700, 300, 100] {
                    let request = VariantRequest(width: side, height: side, format: .jpeg)
                    let marked = whole[..<middle] + [0xFF, 0xD0] + whole[middle...]
                    for damaged in [Array(marked), whole[..<middle] + [0xFF, 0xD9]] {
                        let variant = try await workers.variant(damaged, request)
                        #expect(variant.width == side)
                    }
                    await #expect(throws: MediaFailure.refused(.unreadable)) {
                        try await workers.variant(Array(whole[..<middle]), request)
                    }
                }
            }
        }
    }

    @Test("A progressive JPEG with more than a hundred scans is refused")
    func scans() async throws {
        let whole = try WorkerFixture.bytes("progressive.jpg")
        let last = try #require(whole.indices.last { $0 + 1 < whole.count && whole[$0] == 0xFF && whole[$0 + 1] == 0xDA })
        let scan = whole[last..<whole.count - 2]
        #expect(whole.suffix(2) == [0xFF, 0xD9])
        func picture(_ times: Int) -> [UInt8] { whole[..<last] + (0..<times).flatMap { _ in scan } + [0xFF, 0xD9] }
        try await WorkerFixture.run { workers in
            let request = VariantRequest(width: 16, height: 16, format: .jpeg)
            _ = try await workers.variant(picture(20), request)
            await #expect(throws: MediaFailure.refused(.tooManyScans)) { try await workers.variant(picture(200), request) }
        }
    }
}
