import Blobs
import Foundation
import MediaTools
import NIOCore
import TestKit
import TestThreads
import Testing

@Suite("Scanning with clamd", .blocksThreads)
struct ClamdVerdictTests {
    let fixture = ScanFixture()

    enum Place: String, CaseIterable { case start, middle, end }

    @Test("EICAR is found at any position, and without it the same file is clean", arguments: [68, 1_048_576, 104_857_600])
    func places(_ byteCount: Int) async throws {
        var file = ScanFixture.clean(byteCount)
        #expect(try await fixture.verdict(on: file) == .clean)
        for place in Place.allCases {
            let last = byteCount - Eicar.bytes.count
            let offset = file.readerIndex + [Place.start: 0, .middle: last / 2, .end: last][place]!
            let before = file.getBytes(at: offset, length: Eicar.bytes.count)!
            file.setBytes(Eicar.bytes, at: offset)
            #expect(try await fixture.verdict(on: file) == ScanFixture.eicar, "\(place)")
            file.setBytes(before, at: offset)
        }
    }

    @Test("EICAR is found across the boundary of two chunks", arguments: [[65_536], [1_000], [70_000, 3]])
    func borders(_ pieces: [Int]) async throws {
        for before in stride(from: 1, to: Eicar.bytes.count, by: 6) + [Eicar.bytes.count - 1, Eicar.bytes.count] {
            for border in [65_536, 131_072] {
                let file = ScanFixture.infected(200_000, at: border - before)
                #expect(try await fixture.verdict(on: file, pieces: pieces) == ScanFixture.eicar, "\(before) bytes before \(border)")
            }
        }
    }

    @Test("EICAR is found in a file that arrives byte by byte")
    func trickle() async throws {
        #expect(try await fixture.verdict(on: ScanFixture.infected(70_000, at: 65_500), pieces: [1]) == ScanFixture.eicar)
    }

    @Test("An empty file is clean, and empty chunks do not end a file")
    func empty() async throws {
        #expect(try await fixture.verdict(on: ByteBuffer()) == .clean)
        let scan = fixture.scanner.scan()
        try await ScanFixture.feed(ScanFixture.clean(70_000), to: scan)
        try await scan.append(ByteBuffer())
        try await scan.append(ByteBuffer(bytes: Eicar.bytes))
        #expect(try await scan.finish() == ScanFixture.eicar)
    }

    @Test("EICAR is found in archives: in a zip, and in a docx, which is a zip, within another zip")
    func packed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        func zip(_ archive: String, _ entry: String) throws -> ByteBuffer {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/zip")
            process.arguments = ["-q", "-9", archive, entry]
            process.currentDirectoryURL = URL(filePath: path)
            try process.run()
            process.waitForExit()
            return ByteBuffer(bytes: try Data(contentsOf: URL(filePath: "\(path)/\(archive)")))
        }
        try FileManager.default.createDirectory(atPath: path + "/word/embeddings", withIntermediateDirectories: true)
        // Shows that the file is compressed: the archive's bytes do not contain the string.
        let plain = Array(String(repeating: "A letter. ", count: 500).utf8)
        for (name, bytes) in [("clean", plain), ("bad", plain + Eicar.bytes + plain + Eicar.bytes)] {
            let expected = name == "bad" ? ScanFixture.eicar : .clean
            try Data(bytes).write(to: URL(filePath: "\(path)/\(name).txt"))
            let zipped = try zip("\(name).zip", "\(name).txt")
            #expect(!Data(buffer: zipped).contains(Eicar.bytes))
            #expect(try await fixture.verdict(on: zipped) == expected)
            try FileManager.default.moveItem(atPath: "\(path)/\(name).zip", toPath: "\(path)/word/embeddings/\(name).zip")
            _ = try zip("\(name).docx", "word/embeddings/\(name).zip")
            #expect(try await fixture.verdict(on: try zip("\(name)-outer.docx", "\(name).docx")) == expected)
        }
    }
}

/// Runs alone, because it takes all threads of clamd and measures.
@Suite("Many and large scans with clamd", .serialized, .blocksThreads, .runsAlone)
struct ClamdLoadTests {
    private let fixture = ScanFixture()

    @Test("500 concurrent small files each get their own verdict")
    func crowd() async throws {
        let clean = ScanFixture.clean(3_000)
        let infected = ScanFixture.infected(3_000, at: 1_234)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let isBad = number % 7 == 0
                    return try await fixture.verdict(on: isBad ? infected : clean) == (isBad ? ScanFixture.eicar : .clean)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        print("500 files of 3 KB at a time: \(ContinuousClock.now - start)")
    }

    @Test("Figures: the throughput of scans, and the time that a scan adds to 1 MB")
    func figures() async throws {
        let large = ScanFixture.clean(104_857_600)
        for _ in 0..<2 {
            let scan = fixture.scanner.scan()
            let start = ContinuousClock.now
            try await ScanFixture.feed(large, to: scan)
            let fed = ContinuousClock.now
            #expect(try await scan.finish() == .clean)
            let sent = Double(large.readableBytes) / 1_048_576 / ((fed - start) / .seconds(1))
            print("100 MB: \(Int(sent)) MB/s while it arrives, verdict \(ContinuousClock.now - fed) after the last byte")
        }
        let small = ScanFixture.clean(1_048_576)
        var times: [Duration] = []
        var waits: [Duration] = []
        for _ in 0..<50 {
            let scan = fixture.scanner.scan()
            let start = ContinuousClock.now
            try await ScanFixture.feed(small, to: scan)
            let fed = ContinuousClock.now
            #expect(try await scan.finish() == .clean)
            times.append(.now - start)
            waits.append(.now - fed)
        }
        print("1 MB: median \(times.sorted()[25]) in all, \(waits.sorted()[25]) after the last byte, slowest \(times.max()!)")
    }
}

extension Data {
    fileprivate init(buffer: ByteBuffer) { self.init(buffer.readableBytesView) }
    fileprivate func contains(_ bytes: [UInt8]) -> Bool { range(of: Data(bytes)) != nil }
}
