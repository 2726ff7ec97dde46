import Core
import Foundation
import Intelligence
import MediaFrames
import MediaTools
import TestKit
import TestThreads
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Local engine: words")
struct LocalWordsTests {
    @Test("a name with a very long word is not kept, because no contact has such a name")
    func longNames() {
        let names = NameFinder().names(in: "I met Anna A" + String(repeating: "a", count: 32_000) + " and Peter Schmidt.")
        #expect(names == ["Peter Schmidt"])
    }

    @Test("names are found by rules, by the list and by the contacts, and other meanings of the same words are not names")
    func names() {
        let finder = NameFinder(contacts: ["Xanthippe", "May Lindqvist", "Bob"])
        for (text, names) in [
            ("Just met with John at the coffee shop to discuss the project.", ["John"]),
            ("Will you come in May? I hope so.", []), ("Will said no. May I ask why?", ["Will"]),
            ("Dr. Okafor and Anna Schmidt came; Anna laughed.", ["Okafor", "Anna Schmidt"]),
            ("We flew to Paris. With us came Paris.", []), ("We met Paris in Paris.", ["Paris"]), ("xanthippe called again", ["Xanthippe"]),
            ("met may lindqvist at the market", ["May Lindqvist"]), ("told bob the server was down", ["Bob"]), ("", []),
            ("A rose is a rose.", []), ("Monday, March 3, London.", []),
        ] as [(String, [String])] {
            #expect(finder.names(in: text) == names, "\(text)")
        }
    }

    @Test("themes, mood and place come from words only")
    func others() {
        #expect(Themes.find(in: "The boss moved the deadline for the project.") == ["work"])
        #expect(Themes.find(in: "Hm.") == [])
        #expect(Moods.find("I am so happy today") == "happy" && Moods.find("I am not happy") == nil && Moods.find("A table.") == nil)
        #expect(Places.find(in: "Just met with John at the coffee shop.") == "coffee shop")
        #expect(Places.find(in: "We landed in Berlin at noon") == "Berlin" && Places.find(in: "nothing here") == nil)
        #expect(Set(Themes.all).count == Themes.all.count)
    }

    @Test("sentences are cut at full stops but not after titles, and the key sentence is one of them")
    func sentences() {
        let text = "We saw Dr. Okafor. It took an hour! Then I went home\nand slept"
        #expect(Sentences.of(text) == ["We saw Dr. Okafor.", "It took an hour!", "Then I went home", "and slept"])
        let input = CaptureInput(capture: "c", owner: "o", at: Timestamp(seconds: 0), zone: .gmt, transcription: text)
        #expect(KeySentence.of(input) == "We saw Dr. Okafor.")
        #expect(KeySentence.of(CaptureInput(capture: "c", owner: "o", at: Timestamp(seconds: 0), zone: .gmt, transcription: nil)) == nil)
    }

    @Test("the contacts are prepared once for all sentences of a text")
    func manyContacts() {
        let input = CaptureInput(
            capture: "c", owner: "o", at: Timestamp(seconds: 0), zone: .gmt, transcription: String(repeating: "Ab! ", count: 8_192),
            contacts: (0..<2_000).map { "Ab\(Self.letters($0)) Ab" })
        // Regression: the contacts were prepared again for each sentence, which took minutes.
        var sentence: String?
        let time = ContinuousClock().measure { sentence = KeySentence.of(input) }
        #expect(sentence == "Ab!" && time < .seconds(10))
    }

    @Test("of thousands of names the first 32 are kept, and a longer form of one of them, in linear time")
    func manyNames() {
        let all = (0..<20_000).map { "X" + Self.letters($0) }
        let text = all.map { "Dr. \($0)." }.joined(separator: " ") + " Dr. \(all[3]) Okafor."
        var names: [String] = []
        // Regression: each name was compared with all others, which took minutes.
        let time = ContinuousClock().measure { names = NameFinder().names(in: text) }
        var expected = Array(all.prefix(32))
        expected[3] += " Okafor"
        #expect(names == expected && time < .seconds(10))
    }

    @Test("combining marks after the thirtieth on a letter do not count")
    func manyMarks() {
        let marks = String(repeating: "\u{301}\u{323}", count: 2_000)
        let sentence = Sentences.of("We saw Oka\(marks)for. It took an hour.").first
        #expect(sentence?.unicodeScalars.count == "We saw Okafor.".unicodeScalars.count + 30)
        #expect(Moods.find("\(marks) I am so happy today") == "happy")
    }

    /// Four letters that differ for each number.
    private static func letters(_ number: Int) -> String {
        let values = [number % 26, number / 26 % 26, number / 676 % 26, number / 17_576 % 26]
        return String(decoding: values.map { UInt8(97 + $0) }, as: UTF8.self)
    }
}

@Suite("Local engine: pictures", .blocksThreads)
struct LocalPictureTests {
    private func file(_ path: String) -> CaptureFile {
        CaptureFile(contentType: "image/jpeg", byteCount: 0) { open(path, O_RDONLY) }
    }

    private func fixture(_ name: String) -> CaptureFile { file(RealFile.folder.appending(path: name).path) }

    @Test("a picture's facts are measured; what the file does not say is left out")
    func facts() async throws {
        try await WorkerFixture.run { workers in
            let analyzer = LocalAnalyzer(workers: workers)
            var input = CaptureInput(capture: "c", owner: "o", at: Timestamp(seconds: 0), zone: .gmt, transcription: nil)
            input.picture = fixture("baseline.jpg")
            let analysis = try await analyzer.analyse(input)
            let summary = try #require(analysis.imageSummary)
            #expect(summary.hasPrefix("A picture of ") && summary.hasSuffix(".") && !summary.contains("near"))
            #expect(analysis.detectedFaces == [] && analysis.mood == nil && analysis.keyMoment == nil && analysis.imageText == nil)
            #expect(analysis.engine == "local" && analysis.error == nil && analysis.mentionedNames == [])
            // This file is not a picture: the engine says nothing about it, and nothing fails.
            input.picture = fixture("voice.m4a")
            #expect(try await analyzer.analyse(input).imageSummary == nil)
        }
    }

    @Test("a position in the file gives the nearest city of the table", arguments: ["position-exif.jpg", "position-exif.heic"])
    func position(_ name: String) async throws {
        try await WorkerFixture.run { workers in
            let path = WorkerFixture.own.appending(path: name).path
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            let measures = try await workers.measure(descriptor)
            let (latitude, longitude) = (try #require(measures.latitude), try #require(measures.longitude))
            #expect(abs(latitude) <= 90_000_000 && abs(longitude) <= 180_000_000)
        }
    }

    @Test("colours and sharpness of drawn pictures")
    func colours() async throws {
        let folder = try TemporaryFolder()
        try await WorkerFixture.run { workers in
            func measures(_ commands: [String]) async throws -> PictureMeasures {
                let path = folder.path + "/\(UUID().uuidString)"
                try Tool.run("vips", ["black", path + ".v", "400", "300", "--bands", "3"])
                var last = path + ".v"
                for (number, command) in commands.enumerated() {
                    let next = "\(path)-\(number).v"
                    let parts = command.split(separator: "|").map(String.init)
                    try Tool.run("vips", [parts[0], last, next] + parts.dropFirst())
                    last = next
                }
                try Tool.run("vips", ["pngsave", last, path + ".png"])
                let descriptor = open(path + ".png", O_RDONLY)
                defer { close(descriptor) }
                return try await workers.measure(descriptor)
            }
            let blue = try await measures(["linear|1|10 40 220", "cast|uchar"])
            #expect(blue.colours == [.blue] && !blue.isBlurred && blue.width == 400 && blue.latitude == nil)
            let white = try await measures(["linear|1|250 250 250", "cast|uchar"])
            #expect(white.colours == [.white])
            // Blurred cells, and noise, which is the sharpest possible picture.
            let path = folder.path + "/cells"
            try Tool.run("vips", ["worley", path + ".v", "512", "512", "--cell-size", "64", "--seed", "3"])
            try Tool.run("vips", ["gaussnoise", path + "-noise.v", "512", "512", "--mean", "128", "--sigma", "40"])
            for (name, steps, isBlurred) in [
                (path + ".v", [["linear", "3", "0"], ["cast", "uchar"], ["gaussblur", "5"]], true),
                (path + "-noise.v", [["cast", "uchar"]], false),
            ] {
                var last = name
                for step in steps {
                    let next = last + "x.v"
                    try Tool.run("vips", [step[0], last, next] + step.dropFirst())
                    last = next
                }
                try Tool.run("vips", ["pngsave", last, last + ".png"])
                let descriptor = open(last + ".png", O_RDONLY)
                defer { close(descriptor) }
                let measures = try await workers.measure(descriptor)
                #expect(measures.isBlurred == isBlurred, "\(name)")
            }
        }
    }

    @Test("very large pictures are measured and read as long work from the beginning")
    func large() async throws {
        let path = RealFile.folder.appending(path: "photo.jpg").path
        try await WorkerFixture.run {
            // The time for short work is never enough, so a picture that is decoded as short work is decoded twice.
            $0.quickPictureTimeout = .zero
        } _: { workers in
            let analyzer = LocalAnalyzer(workers: workers)
            let reader = PictureTextReader(workers: workers, tool: SandboxedTool(MediaWorkerOptions(program: WorkerFixture.program)))
            for (pixelCount, count) in [(25_000_001, 1), (25_000_000, 2)] {
                let picture = CaptureFile(contentType: "image/jpeg", byteCount: 0, pixelCount: pixelCount) { open(path, O_RDONLY) }
                // Each picture has an account of its own, because slow pictures make the account's later pictures long work.
                var input = CaptureInput(
                    capture: "c", owner: "measured \(count)", at: Timestamp(seconds: 0), zone: .gmt, transcription: nil)
                input.picture = picture
                let before = workers.taken
                let analysis = try await analyzer.analyse(input)
                #expect(analysis.imageSummary != nil && workers.taken == before + count, "measured, \(pixelCount)")
                let text = try await reader.text(of: picture, owner: "read \(count)")
                #expect(text == nil && workers.taken == before + 2 * count, "read, \(pixelCount)")
            }
        }
    }

    @Test("the text of a picture is read, and a picture without text has none")
    func text() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/note"
        try Tool.run("vips", ["text", path + ".v", "Closed on Monday\nuntil further notice", "--dpi", "200", "--font", "sans 14"])
        try Tool.run("vips", ["invert", path + ".v", path + "2.v"])
        try Tool.run("vips", ["gravity", path + "2.v", path + "3.v", "centre", "900", "400", "--extend", "white"])
        try Tool.run("vips", ["jpegsave", path + "3.v", path + ".jpg"])
        try await WorkerFixture.run { workers in
            let reader = PictureTextReader(workers: workers, tool: SandboxedTool(MediaWorkerOptions(program: WorkerFixture.program)))
            let text = try await reader.text(of: file(path + ".jpg"), owner: "o")
            #expect(text == "Closed on Monday\nuntil further notice")
            for name in ["photo.jpg", "voice.m4a"] {
                let none = try await reader.text(of: fixture(name), owner: "o")
                #expect(none == nil, "\(name)")
            }
            let proof = try await reader.probe()
            #expect(proof.contains("tesseract"))
        }
    }
}
