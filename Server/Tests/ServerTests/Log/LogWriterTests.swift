import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The log's buffer and its thread", .blocksThreads)
struct LogWriterTests {
    private static func line(_ number: Int) -> [UInt8] { Array("{\"number\":\"\(number)\"}\n".utf8) }

    private static func numbers(_ bytes: some Sequence<UInt8>) -> [Int] {
        Array(bytes).split(separator: UInt8(ascii: "\n")).map { line in
            let text = String(decoding: line, as: UTF8.self)
            return text.hasPrefix("{\"number\":\"") && text.hasSuffix("\"}") ? Int(text.filter(\.isNumber)) ?? -1 : -1
        }
    }

    @Test("lines are written in the order in which they were appended, and none is lost")
    func order() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let writer = LogWriter(descriptor)
        // Some lines are urgent, so that batches end in many places.
        for number in 0..<5_000 { writer.write(Self.line(number), isUrgent: number % 97 == 0) }
        writer.drain()
        #expect(Self.numbers(try Data(contentsOf: URL(filePath: path))) == Array(0..<5_000))
        #expect(writer.droppedLineCount == 0)
    }

    @Test("a line is written soon although nothing follows it, and an urgent one at once")
    func delay() throws {
        let pipe = Pipe()
        let writer = LogWriter(pipe.fileHandleForWriting.fileDescriptor)
        writer.write(Self.line(1), isUrgent: false)
        #expect(pipe.fileHandleForReading.availableData == Data(Self.line(1)))
        // A batch that waits for an hour would not arrive in this test. The urgent line makes the writer write it at once.
        let slow = Pipe()
        let patient = LogWriter(slow.fileHandleForWriting.fileDescriptor, delay: .seconds(3_600))
        patient.write(Self.line(2), isUrgent: false)
        patient.write(Self.line(3), isUrgent: true)
        var bytes = Data()
        while bytes.count < Self.line(2).count + Self.line(3).count { bytes += slow.fileHandleForReading.availableData }
        #expect(Self.numbers(bytes) == [2, 3])
        withExtendedLifetime((writer, patient)) {}
    }

    @Test("what a full buffer drops is counted, nobody waits for a pipe that is not read, and the other lines stay whole and in order")
    func fullBuffer() throws {
        let pipe = Pipe()
        let writer = LogWriter(pipe.fileHandleForWriting.fileDescriptor, byteCount: 65_536)
        // The kernel buffers 64 KiB of a pipe, and the writer another 64 KiB. The test reads only after it has written all lines.
        for number in 0..<20_000 { writer.write(Self.line(number), isUrgent: false) }
        let dropped = writer.droppedLineCount
        #expect(dropped > 5_000)
        let reader = pipe.fileHandleForReading
        var bytes = Data()
        while bytes.filter({ $0 == UInt8(ascii: "\n") }).count < 20_000 - dropped { bytes += reader.availableData }
        let numbers = Self.numbers(bytes)
        #expect(numbers.count == 20_000 - dropped)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 } && numbers.first == 0)
        // Once the pipe is empty again, the writer writes lines as before.
        writer.drain()
        writer.write(Self.line(30_000), isUrgent: true)
        #expect(Self.numbers(reader.availableData) == [30_000])
        #expect(writer.droppedLineCount == dropped)
    }

    @Test("lines for a closed pipe are dropped and counted, and the process continues")
    func closedPipe() throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let writer = LogWriter(pipe.fileHandleForWriting.fileDescriptor)
        for number in 0..<10 { writer.write(Self.line(number), isUrgent: false) }
        writer.drain()
        #expect(writer.droppedLineCount == 10)
    }

    #if os(Linux)
        @Test("lines for a full disk are dropped and counted")
        func fullDisk() throws {
            let descriptor = open("/dev/full", O_WRONLY)
            defer { close(descriptor) }
            let writer = LogWriter(descriptor)
            for number in 0..<10 { writer.write(Self.line(number), isUrgent: false) }
            writer.drain()
            #expect(writer.droppedLineCount == 10)
        }
    #endif

    @Test("SIGTERM right after the responses loses no line, and the metrics page counts what is dropped")
    func stop() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let server = try ServerProcess(data: folder.path + "/data", log: try FileHandle(forUpdating: URL(filePath: path)))
        let connection = try RawConnection(port: server.port)
        var ids: [String] = []
        for _ in 0..<200 {
            try connection.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            ids.append(try connection.answer().headers["x-request-id"] ?? "none")
        }
        try connection.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let page = String(decoding: try connection.answer().body, as: UTF8.self)
        #expect(page.contains("# TYPE keepsake_log_lines_dropped_total counter\nkeepsake_log_lines_dropped_total 0\n"))
        #expect(server.terminate() == 0)
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let logged = lines.filter { $0.contains("\"/health/live\"") }
        #expect(logged.count == 200)
        #expect(lines.filter { $0.contains("\"message\":\"stopping\"") }.count == 1)
        #expect(zip(logged, ids).allSatisfy { line, id in line.contains("\"request\":\"\(id)\"") })
    }
}
