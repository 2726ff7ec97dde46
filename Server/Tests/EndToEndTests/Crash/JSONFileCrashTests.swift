import Foundation
import TestKit
import TestThreads
import Testing

@Suite("A crash in the middle of a JSON body with a file", .blocksThreads)
struct JSONFileCrashTests {
    @Test("nothing of the body is kept, and the same request succeeds afterwards", arguments: StoragePair.allCases)
    func killed(_ pair: StoragePair) async throws {
        let installation = try Installation(pair)
        let person = try installation.person()
        var node = try installation.node("one")
        // The body is so long that most of it arrives before the process is killed. Bytes after a picture's end do not change the picture.
        let picture = (Data(try RealFile.bytes("photo.jpg")) + Data(count: 600_000)).base64EncodedString()
        let body = #"{"isProfilePic":true,"base64Image":"\#(picture)"}"#
        let head = [
            "POST /userImage HTTP/1.1", "Host: localhost", "Authorization: Bearer \(person.token)", "Content-Type: application/json",
            "Content-Length: \(body.utf8.count)", "", "",
        ].joined(separator: "\r\n")
        let cut = try RawConnection(port: node.port)
        try cut.send(head + body.prefix(600_000))
        // The beginning has arrived by then; the server may hold it in memory or on the disk.
        try await Task.sleep(for: .seconds(1))
        node.killNow()

        node = try installation.node("one")
        try await reach(0, installation)
        let whole = try RawConnection(port: node.port)
        try whole.send("GET \(person.library) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(person.token)\r\n\r\n")
        let list = try whole.answer()
        #expect(list.status == 200 && list.text.contains("\"files\":[]"), "\(list.text)")
        try whole.send(head + body)
        let answer = try whole.answer()
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await installation.fileCount() == 1)
        _ = node.terminate()
    }

    /// Waits until the blob store has `count` files, for at most half a minute.
    private func reach(_ count: Int, _ installation: Installation) async throws {
        for _ in 0..<3_000 {
            if try await installation.fileCount() == count { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("there are \(try await installation.fileCount()) files")
    }
}
