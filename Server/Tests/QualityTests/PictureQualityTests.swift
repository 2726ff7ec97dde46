import Foundation
import Intelligence
import Logging
import MediaTools
import ServiceLifecycle
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The bars: the reader finds at least 90 % of the words in pictures whose text is tilted by up to 4°, and no words in 50 pictures without
/// text.
///
/// The pictures are drawn with libvips. `make quality` uses all of them; another test run uses every sixth of the half that judges.
@Suite("Quality: text in pictures", .blocksThreads)
struct PictureQualityTests {
    private static var isFull: Bool { CampaignScale.isFull("quality") }
    /// The other half has no bar, so only `make quality` prints its figures.
    private static var halves: [LabelledSet.Half] { isFull ? LabelledSet.Half.allCases : [.judge] }

    /// Fonts, and the brightness of paper and ink.
    private static let styles: [(font: String, paper: Int, ink: Int)] = [
        ("sans 14", 255, 0), ("serif 16", 245, 30), ("monospace 14", 230, 40), ("sans bold 18", 40, 230), ("serif italic 18", 255, 60),
    ]
    private static let tilts = [0.0, 2, -2, 4, -4, 1, -3]

    @Test("the words of drawn texts are read, tilted by up to 4°")
    func text() async throws {
        let set = try LabelledSet("texts.txt")
        let folder = try TemporaryFolder()
        let path = folder.path
        try await Self.withReader { reader in
            for half in Self.halves {
                var score = Score()
                for (number, fields) in set.half(half).enumerated() where Self.isFull || number % 6 == 0 {
                    let file = try Self.draw(
                        fields[0].replacing(" / ", with: "\n"), Self.styles[number % Self.styles.count],
                        tilt: Self.tilts[number % Self.tilts.count], in: path)
                    let found = try await reader.text(of: file, owner: "quality") ?? ""
                    score.add(wanted: Self.words(fields[0]), found: Self.words(found))
                }
                QualityTable.row(
                    "text in pictures", half,
                    "words read \(QualityTable.figure(score.recall))  right \(QualityTable.figure(score.precision))", bar: "0.9")
                if half == .judge { #expect(score.recall >= 0.9) }
            }
        }
    }

    @Test("pictures without text give no words")
    func noText() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        let pictures = Self.textless
        #expect(pictures.count == 50)
        try await Self.withReader { reader in
            for half in Self.halves {
                var read: [String] = []
                var count = 0
                for (number, commands) in pictures.enumerated()
                where (number % 2 == 0) == (half == .develop) && (Self.isFull || number % 12 < 2) {
                    let file = try Self.make(commands, in: path)
                    count += 1
                    if let text = try await reader.text(of: file, owner: "quality") { read.append("\(commands.first ?? []): \(text)") }
                }
                QualityTable.row("pictures without text", half, "\(read.count) of \(count) give words", bar: "0")
                if half == .judge { #expect(read == []) }
            }
        }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }

    private static func withReader(_ body: @escaping @Sendable (PictureTextReader) async throws -> Void) async throws {
        let options = MediaWorkerOptions.besideThisProgram
        let logger = Logger(label: "media") { _ in SwiftLogNoOpLogHandler() }
        let workers = MediaWorkers(options, logger: logger)
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: workers)], gracefulShutdownSignals: [], cancellationSignals: [], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await body(PictureTextReader(workers: workers, tool: SandboxedTool(options), timeout: .seconds(120))))
            } catch { result = .failure(error) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }

    // MARK: Drawing

    private static func draw(
        _ text: String, _ style: (font: String, paper: Int, ink: Int), tilt: Double, in folder: String
    ) throws -> CaptureFile {
        // The mask of the letters is white on black. A negative factor would look like an option to libvips' command.
        let isDark = style.ink > style.paper
        let spread = abs(style.ink - style.paper)
        let drawn = [
            ["text", "OUT", text, "--dpi", "200", "--font", style.font], ["gravity", "IN", "OUT", "centre", "1400", "700"],
        ]
        let coloured = [
            ["linear", "IN", "OUT", "\(Double(spread) / 255)", "\(min(style.ink, style.paper))"], ["cast", "IN", "OUT", "uchar"],
            ["similarity", "IN", "OUT", "--angle=\(tilt)", "--background", "\(style.paper)"], ["cast", "IN", "OUT", "uchar"],
        ]
        return try make(drawn + (isDark ? [] : [["invert", "IN", "OUT"]]) + coloured, in: folder)
    }

    /// Runs libvips' commands one after the other; IN is the result of the one before.
    private static func make(_ commands: [[String]], in folder: String) throws -> CaptureFile {
        let name = "\(folder)/\(UUID().uuidString)"
        var last = ""
        for (number, command) in commands.enumerated() {
            let next = "\(name)-\(number).v"
            try Tool.run("vips", command.map { $0 == "IN" ? last : $0 == "OUT" ? next : $0 })
            last = next
        }
        try Tool.run("vips", ["jpegsave", last, name + ".jpg", "--Q", "88"])
        let path = name + ".jpg"
        return CaptureFile(contentType: "image/jpeg", byteCount: 0) { open(path, O_RDONLY) }
    }

    /// 50 pictures without text: noise, waves, clouds, cells and plain colours of several sizes, and parts of photos.
    private static var textless: [[[String]]] {
        let toBytes = ["cast", "IN", "OUT", "uchar"]
        var pictures: [[[String]]] = []
        for seed in 1...6 {
            let (width, height) = ("\(500 + 90 * seed)", "\(400 + 70 * seed)")
            pictures.append([["gaussnoise", "OUT", width, height, "--mean", "128", "--sigma", "\(10 * seed)"], toBytes])
            pictures.append([
                ["perlin", "OUT", width, height, "--cell-size", "\(32 * seed)", "--seed", "\(seed)"],
                ["linear", "IN", "OUT", "120", "128"],
                toBytes,
            ])
            pictures.append([["worley", "OUT", width, height, "--cell-size", "\(24 * seed)", "--seed", "\(seed)"], toBytes])
            pictures.append([
                ["sines", "OUT", width, height, "--hfreq", "\(seed)", "--vfreq", "\(0.5 * Double(seed))", "--uchar"]
            ])
            pictures.append([["zone", "OUT", width, height, "--uchar"]])
            pictures.append([["grey", "OUT", width, height, "--uchar"]])
            pictures.append([["black", "OUT", width, height], ["linear", "IN", "OUT", "1", "\(30 * seed)"], toBytes])
        }
        let photo = RealFile.folder.appending(path: "photo.jpg").path
        for quarter in ["low", "high", "centre", "entropy", "attention"] {
            pictures.append([["thumbnail", photo, "OUT", "600", "--height", "400", "--crop", quarter]])
        }
        for angle in ["d90", "d180", "d270"] { pictures.append([["rot", photo, "OUT", angle]]) }
        return pictures
    }
}
