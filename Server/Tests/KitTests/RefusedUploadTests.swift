import Foundation
import HTTPTypes
import KeepsakeKit
import KitTransport
import TestKit
import TestThreads
import Testing

@Suite("Uploads of AsyncHTTPTransport that a server refuses before it has read them", .blocksThreads)
struct RefusedUploadTests {
    /// How many descriptors this process has for the file; 0 if the system is not Linux.
    private func openCount(_ path: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.filter { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.hasSuffix(path) == true
        }.count
    }

    @Test("the caller gets the response, and the file is closed")
    func closed() async throws {
        let server = try RefusingServer(status: "413 Content Too Large", body: "{}")
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path).appending(path: "film-\(UUID().uuidString).mp4")
        // The file is larger than the socket's buffers. It takes no space on the disk.
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 16 << 20)
        #if os(Linux)
            // Control: the count includes an open file.
            #expect(openCount(file.lastPathComponent) == 1)
        #endif
        try handle.close()
        let request = HTTPRequest(method: .put, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/")
        let sent = Guarded(0.0)
        let response = try await AsyncHTTPTransport().send(request, body: .file(file), timeout: .seconds(60)) { fraction in
            sent.withLock { $0 = fraction }
        }
        #expect(response.head.status.code == 413 && response.body == Data("{}".utf8))
        #expect(sent.value < 1)
        for _ in 0..<400 where openCount(file.lastPathComponent) > 0 { try await Task.sleep(for: .milliseconds(25)) }
        #expect(openCount(file.lastPathComponent) == 0)
        withExtendedLifetime(server) {}
    }
}
